// sub_any_s8_mve.c - quantised difference of tensors, repeated, within limits.
// Bit for bit what sub_s8_ref.c computes.
#include "kern/isa/arm/arith_any.h"
#include "kern/isa/arm/arith_mve.h"

// Either of which may be the one that is scaled.
static void sub_any_s8_mve_run(const tenon_arm_sum *s, const int8_t *a,
                               const int8_t *b, int8_t *to, int32_t n) {
  if (s->half)
    tenon_mve_sub_first(s, a, b, to, n);
  else
    tenon_mve_sub_second(s, b, a, to, n);
}

TENON_KERNEL_RANGE(tenon_k_sub_any_s8_mve) {
  const tenon_arm_sum *s = (const tenon_arm_sum *)c->packed;
  int8_t *y = (int8_t *)c->out[0].data + (int32_t)begin;
  tenon_arm_arith_runs(c, (int32_t)begin, (int32_t)end, sub_any_s8_mve_run);
  if (s->lo != INT8_MIN || s->hi != INT8_MAX)
    tenon_mve_clamp(y, y, (int32_t)(end - begin), s->lo, s->hi);
  return TENON_OK;
}
