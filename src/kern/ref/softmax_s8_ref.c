// softmax_s8_ref.c - quantised softmax in integers, as LiteRT's reference: the
// result has scale 1/256 and zero point -128.
//
// The exponentials come from a packed table of the 256 possible distances to
// the maximum. Their sum, with 12 integer bits, is inverted by three steps of
// Newton's method, as gemmlowp does.
#include "kern/newton.h"
#include "kern/softmax.h"

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
    inverse = tenon_reciprocal_s32(sum, 12, &shift);
    for (ptrdiff_t i = 0; i < r.count; ++i) {
      int32_t e = tenon_mul_high_s32(inverse, exps[most - x[i * r.step]]);
      int32_t p = shift > 8 ? -128 : tenon_div_pow2_s32(e, shift + 23) - 128;
      y[i * r.step] = (int8_t)tenon_clamp_s32(p, -128, 127);
    }
  }
  return TENON_OK;
}
