// log_softmax_s8_ref.c - quantised log-softmax in integers, as LiteRT's
// reference: the result has scale 1/16 and zero point 127.
//
// Exponentials and scaled distances to the maximum come from packed tables of
// the 256 possible distances.
#include "kern/num/newton.h"
#include "kern/op/softmax.h"

TENON_KERNEL_RANGE(tenon_k_log_softmax_s8_ref) {
  const tenon_log_softmax_attrs *a = (const tenon_log_softmax_attrs *)c->attrs;
  const tenon_log_softmax_s8 *p = (const tenon_log_softmax_s8 *)c->packed;
  const tenon_rows r = tenon_rows_of(&c->in[0], a->axis);
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const int8_t *x = (const int8_t *)c->in[0].data + tenon_rows_at(r, row);
    int8_t *y = (int8_t *)c->out[0].data + tenon_rows_at(r, row);
    int32_t most = INT8_MIN, sum = 0, log, least;
    for (ptrdiff_t i = 0; i < r.count; ++i)
      most = x[i * r.step] > most ? x[i * r.step] : most;
    for (ptrdiff_t i = 0; i < r.count; ++i)
      sum = tenon_saturate_s32(
          (int64_t)sum + tenon_div_pow2_s32(p->exps[most - x[i * r.step]], 12));
    log = tenon_log_s32(sum);
    // Distances below this do not fit the result.
    least = tenon_requant_twice(tenon_add_s32(log, INT32_MIN), p->back_mult,
                                p->back_shift);
    if (least < p->least) least = p->least;
    for (ptrdiff_t i = 0; i < r.count; ++i) {
      int32_t d = most - x[i * r.step];
      int32_t v = tenon_div_pow2_s32(p->diffs[d] - log, 22) + 127;
      y[i * r.step] =
          (int8_t)(-d > least ? tenon_clamp_s32(v, -128, 127) : -128);
    }
  }
  return TENON_OK;
}
