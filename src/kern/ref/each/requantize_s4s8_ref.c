// requantize_s4s8_ref.c - numbers of 4 bits, two in a byte, the low half first,
// as numbers of 8 bits of the same scale.
#include "tenon/tensor.h"

TENON_KERNEL_RANGE(tenon_k_requantize_s4s8_ref) {
  const uint8_t *x = (const uint8_t *)c->in[0].data;
  int8_t *y = (int8_t *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    int32_t half = x[i / 2] >> (i % 2 ? 4 : 0) & 15;
    y[i] = (int8_t)(half < 8 ? half : half - 16);
  }
  return TENON_OK;
}
