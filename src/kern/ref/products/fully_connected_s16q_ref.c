// fully_connected_s16q_ref.c - product of 16-bit numbers with 8-bit weights, as
// LiteRT's reference FULLY_CONNECTED: sums in 64 bits, scaled as doubles.
#include "kern/product/conv.h"
#include "kern/product/requant.h"
#include "tenon/tensor.h"

static int16_t fully_connected_s16q_ref_stored(const tenon_requant *q,
                                               int64_t sum, ptrdiff_t channel) {
  const int32_t *mult = (const int32_t *)(q + 1);
  const ptrdiff_t i = q->channels == 1 ? 0 : channel;
  const int32_t y = tenon_requant_double(sum, mult[i], mult[q->channels + i]);
  return (int16_t)tenon_clamp_s32(tenon_add_s32(y, q->y_zero), q->lo, q->hi);
}

TENON_KERNEL_RANGE(tenon_k_fully_connected_s16q_ref) {
  const tenon_requant *r = (const tenon_requant *)c->packed;
  const tenon_tensor *w = &c->in[1];
  const int64_t *bias = (const int64_t *)c->in[2].data;
  const ptrdiff_t n = w->dims[0], depth = w->dims[1];
  int16_t *y = (int16_t *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    const int16_t *p = (const int16_t *)c->in[0].data + i / n * depth;
    const int8_t *q = (const int8_t *)w->data + i % n * depth;
    int64_t acc = bias ? tenon_limit_wide(bias[i % n]) : 0;
    for (ptrdiff_t k = 0; k < depth; ++k)
      acc += p[k] * q[k];
    y[i] = fully_connected_s16q_ref_stored(r, acc, i % n);
  }
  return TENON_OK;
}
