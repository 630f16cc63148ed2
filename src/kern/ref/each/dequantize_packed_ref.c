// dequantize_packed_ref.c - integers of 2, 4 or 8 bits to floats, with one
// scale, one per channel, or one per run of `block` elements of the last axis.
// Those of less than a byte lie one after the other, the low bits first.
#include "kern/loop/channels.h"

static int32_t packed_element(const tenon_tensor *t, ptrdiff_t i) {
  const uint8_t *x = (const uint8_t *)t->data;
  const int32_t half = x[i / 2] >> (i % 2 ? 4 : 0) & 15;
  const int32_t quarter = x[i / 4] >> (i % 4 * 2) & 3;
  switch (t->dtype) {
    case TENON_S2:
      return quarter < 2 ? quarter : quarter - 4;
    case TENON_S4:
      return half < 8 ? half : half - 16;
    case TENON_U4:
      return half;
    default:
      return ((const int8_t *)t->data)[i];
  }
}

TENON_KERNEL_RANGE(tenon_k_dequantize_packed_ref) {
  const tenon_quant *q = c->in[0].quant;
  const ptrdiff_t inner = tenon_channel_inner(&c->in[0]);
  float *to = (float *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    const ptrdiff_t k = q->block           ? i / q->block
                        : q->channels == 1 ? 0
                                           : i / inner % q->channels;
    const int32_t zero = q->zero ? q->zero[k] : 0;
    to[i] = q->scale[k] * (float)(packed_element(&c->in[0], i) - zero);
  }
  return TENON_OK;
}
