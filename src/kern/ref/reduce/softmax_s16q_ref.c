// softmax_s16q_ref.c - softmax of 16-bit numbers, as LiteRT's reference: e to
// the x and the reciprocal of the sum come from tables; the result has scale
// 2^-15.
#include "kern/op/softmax.h"
#include "kern/op/softmax_s16.h"

TENON_KERNEL_RANGE(tenon_k_softmax_s16q_ref) {
  const tenon_softmax_attrs *a = (const tenon_softmax_attrs *)c->attrs;
  const tenon_softmax_s16 *p = (const tenon_softmax_s16 *)c->packed;
  const tenon_rows r = tenon_rows_of(&c->in[0], a->axis);
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const int16_t *x = (const int16_t *)c->in[0].data + tenon_rows_at(r, row);
    int16_t *y = (int16_t *)c->out[0].data + tenon_rows_at(r, row);
    int32_t most = INT16_MIN, sum = 0, inverse, right;
    for (ptrdiff_t i = 0; i < r.count; ++i)
      most = x[i * r.step] > most ? x[i * r.step] : most;
    for (ptrdiff_t i = 0; i < r.count; ++i) {
      int32_t d =
          tenon_requant_twice(x[i * r.step] - most, p->mult, p->shift) + 32767;
      y[i * r.step] =
          tenon_lookup_at(&p->exp, tenon_clamp_s32(d, -32768, 32767));
      sum = tenon_add_s32(sum, y[i * r.step]);
    }
    inverse = tenon_softmax_s16_invert(p, sum, &right);
    for (ptrdiff_t i = 0; i < r.count; ++i) {
      int64_t v =
          ((int64_t)y[i * r.step] * inverse + (INT64_C(1) << (right - 1))) >>
          right;
      y[i * r.step] = (int16_t)(v < 0 ? 0 : v > 32767 ? 32767 : v);
    }
  }
  return TENON_OK;
}
