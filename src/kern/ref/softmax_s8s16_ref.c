// softmax_s8s16_ref.c - quantised softmax of bytes to 16 bits, as LiteRT's
// reference: the result has scale 1/65536 and zero point -32768.
//
// As softmax_s8_ref.c, with eight bits more of each result.
#include "kern/newton.h"
#include "kern/softmax.h"

TENON_KERNEL_RANGE(tenon_k_softmax_s8s16_ref) {
  const tenon_softmax_attrs *a = (const tenon_softmax_attrs *)c->attrs;
  const int32_t *exps = ((const tenon_softmax_s8 *)c->packed)->exps;
  const tenon_rows r = tenon_rows_of(&c->in[0], a->axis);
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const int8_t *x = (const int8_t *)c->in[0].data + tenon_rows_at(r, row);
    int16_t *y = (int16_t *)c->out[0].data + tenon_rows_at(r, row);
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
      const uint32_t p = shift > 16 ? 0 : ((e >> (shift + 14)) + 1) >> 1;
      y[i * r.step] = (int16_t)(p > 65535 ? 32767 : (int32_t)p - 32768);
    }
  }
  return TENON_OK;
}
