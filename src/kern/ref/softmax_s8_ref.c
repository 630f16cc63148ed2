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
    int32_t most = INT8_MIN, inverse, shift;
    uint32_t sum = 0;
    for (ptrdiff_t i = 0; i < r.count; ++i)
      most = x[i * r.step] > most ? x[i * r.step] : most;
    for (ptrdiff_t i = 0; i < r.count; ++i) {
      sum += (((uint32_t)exps[most - x[i * r.step]] >> 11) + 1) >> 1;
      if (sum > INT32_MAX) sum = INT32_MAX;
    }
    // What follows is not negative, and is rounded with ties up twice.
    inverse = tenon_reciprocal_s32((int32_t)sum, 12, &shift);
    for (ptrdiff_t i = 0; i < r.count; ++i) {
      const int64_t product = (int64_t)inverse * exps[most - x[i * r.step]];
      const uint32_t e = (uint32_t)((product + (1 << 30)) >> 31);
      const uint32_t p = shift > 8 ? 0 : ((e >> (shift + 22)) + 1) >> 1;
      y[i * r.step] = (int8_t)(p > 255 ? 127 : (int32_t)p - 128);
    }
  }
  return TENON_OK;
}
