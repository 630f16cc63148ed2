// requantize_s2s8_ref.c - numbers of 2 bits, four in a byte, the low ones
// first, as numbers of 8 bits of the same scale.
#include "tenon/tensor.h"

TENON_KERNEL_RANGE(tenon_k_requantize_s2s8_ref) {
  const uint8_t *x = (const uint8_t *)c->in[0].data;
  int8_t *y = (int8_t *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    int32_t quarter = x[i / 4] >> (i % 4 * 2) & 3;
    y[i] = (int8_t)(quarter < 2 ? quarter : quarter - 4);
  }
  return TENON_OK;
}
