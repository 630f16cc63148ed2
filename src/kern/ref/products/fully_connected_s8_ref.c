// fully_connected_s8_ref.c - quantised product, as LiteRT's reference
// FULLY_CONNECTED with 8-bit weights: rounded once, unlike a convolution.
#include "kern/product/conv.h"
#include "kern/product/requant.h"
#include "tenon/tensor.h"

TENON_KERNEL_RANGE(tenon_k_fully_connected_s8_ref) {
  const tenon_requant *r = (const tenon_requant *)c->packed;
  const int32_t x_zero = r->x_zero, w_zero = r->w_zero;
  const tenon_tensor *w = &c->in[1];
  const int32_t *bias = (const int32_t *)c->in[2].data;
  const ptrdiff_t n = w->dims[0], depth = w->dims[1];
  int8_t *y = (int8_t *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    const int8_t *p = (const int8_t *)c->in[0].data + i / n * depth;
    const int8_t *q = (const int8_t *)w->data + i % n * depth;
    uint32_t acc = bias ? (uint32_t)bias[i % n] : 0;
    for (ptrdiff_t k = 0; k < depth; ++k)
      acc += (uint32_t)((p[k] - x_zero) * (q[k] - w_zero));
    y[i] = tenon_requant_s8_once(r, (int32_t)acc, i % n);
  }
  return TENON_OK;
}
