// fully_connected_s16s16q_ref.c - product of 16-bit numbers with 16-bit
// weights, as LiteRT's reference FULLY_CONNECTED: sums in 64 bits, with 15 bits
// of the factor.
#include "kern/product/conv.h"
#include "kern/product/requant.h"
#include "tenon/tensor.h"

TENON_KERNEL_RANGE(tenon_k_fully_connected_s16s16q_ref) {
  const tenon_requant *r = (const tenon_requant *)c->packed;
  const tenon_tensor *w = &c->in[1];
  const int64_t *bias = (const int64_t *)c->in[2].data;
  const ptrdiff_t n = w->dims[0], depth = w->dims[1];
  int16_t *y = (int16_t *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    const int16_t *p = (const int16_t *)c->in[0].data + i / n * depth;
    const int16_t *q = (const int16_t *)w->data + i % n * depth;
    int64_t acc = bias ? tenon_limit_wide(bias[i % n]) : 0;
    for (ptrdiff_t k = 0; k < depth; ++k)
      acc += (int32_t)p[k] * q[k];
    y[i] = tenon_requant_s16_wrapping(r, acc, i % n);
  }
  return TENON_OK;
}
