// l2_normalize_u8_ref.c - rows by their length in integers, as LiteRT's
// reference L2_NORMALIZATION of unsigned bytes: the result has scale 1/128 and
// zero point 128, and 7 more bits before the factor than l2_normalize_s8_ref.c.
//
// Items are rows: all but the last dimension.
#include "kern/num/newton.h"
#include "tenon/tensor.h"

TENON_KERNEL_RANGE(tenon_k_l2_normalize_u8_ref) {
  const tenon_quant *q = c->in[0].quant;
  const int32_t zero = q->zero ? q->zero[0] : 0;
  const ptrdiff_t n = c->in[0].dims[c->in[0].rank - 1];
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const uint8_t *x = (const uint8_t *)c->in[0].data + row * n;
    uint8_t *y = (uint8_t *)c->out[0].data + row * n;
    int32_t sum = 0, mult, shift;
    for (ptrdiff_t i = 0; i < n; ++i)
      sum = tenon_add_s32(sum, (x[i] - zero) * (x[i] - zero));
    tenon_inverse_sqrt_s32(sum, &mult, &shift);
    for (ptrdiff_t i = 0; i < n; ++i) {
      int32_t v = tenon_requant_twice(128 * (x[i] - zero), mult, shift) + 128;
      y[i] = (uint8_t)tenon_clamp_s32(v, 0, 255);
    }
  }
  return TENON_OK;
}
