// softmax_s8_ref.c - quantised softmax in integers, as LiteRT's reference: the
// result has scale 1/256 and zero point -128.
//
// The exponentials come from a packed table of the 256 possible distances to
// the maximum. Their sum, with 12 integer bits, is inverted by three steps of
// Newton's method, as gemmlowp does.
#include "kern/fixed.h"
#include "kern/softmax.h"

// 1 / sum as a fraction in units of 2^-31, to be shifted right by `shift` more.
static int32_t softmax_s8_ref_invert(int32_t sum, int32_t *shift) {
  int32_t zeros = 0, half, x;
  int64_t twice;
  while (zeros < 31 && !((uint32_t)sum << zeros & 0x80000000u))
    ++zeros;
  *shift = 12 - zeros;
  // (1 + a) / 2, where 1 + a is the sum brought into [1, 2).
  twice =
      (int64_t)(int32_t)(((uint32_t)sum << zeros) - 0x80000000u) + INT32_MAX;
  half = (int32_t)((twice + (twice >= 0 ? 1 : -1)) / 2);
  // x has two integer bits: 48/17 - 32/17 half is the usual first guess.
  x = tenon_add_s32(1515870810, tenon_mul_high_s32(half, -1010580540));
  for (int i = 0; i < 3; ++i) {
    int32_t rest = (1 << 29) - tenon_mul_high_s32(half, x);
    x = tenon_add_s32(x, tenon_mul_pow2_s32(tenon_mul_high_s32(x, rest), 2));
  }
  return tenon_mul_pow2_s32(x, 1);
}

TENON_KERNEL_RANGE(tenon_k_softmax_s8_ref) {
  const tenon_softmax_attrs *a = (const tenon_softmax_attrs *)c->attrs;
  const int32_t *exps = ((const tenon_softmax_s8 *)c->packed)->exps;
  const tenon_rows r = tenon_rows_of(&c->in[0], a->axis);
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const int8_t *x = (const int8_t *)c->in[0].data + tenon_rows_at(r, row);
    int8_t *y = (int8_t *)c->out[0].data + tenon_rows_at(r, row);
    int32_t most = INT8_MIN, sum = 0, inverse, shift;
    for (ptrdiff_t i = 0; i < r.count; ++i)
      most = x[i * r.step] > most ? x[i * r.step] : most;
    for (ptrdiff_t i = 0; i < r.count; ++i)
      sum = tenon_saturate_s32(
          (int64_t)sum + tenon_div_pow2_s32(exps[most - x[i * r.step]], 12));
    inverse = softmax_s8_ref_invert(sum, &shift);
    for (ptrdiff_t i = 0; i < r.count; ++i) {
      int32_t e = tenon_mul_high_s32(inverse, exps[most - x[i * r.step]]);
      int32_t p = shift > 8 ? -128 : tenon_div_pow2_s32(e, shift + 23) - 128;
      y[i * r.step] = (int8_t)tenon_clamp_s32(p, -128, 127);
    }
  }
  return TENON_OK;
}
