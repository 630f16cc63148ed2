// add_any_s8_mve.c - quantised sum of tensors, repeated, within limits. Bit
// for bit what add_s8_ref.c computes.
#include "kern/isa/arm/arith_any.h"
#include "kern/isa/arm/arith_mve.h"

static void add_any_s8_mve_run(const tenon_arm_sum *s, const int8_t *a,
                               const int8_t *b, int8_t *to, int32_t n) {
  tenon_mve_add(s, s->half ? a : b, s->half ? b : a, to, n);
}

TENON_KERNEL_RANGE(tenon_k_add_any_s8_mve) {
  const tenon_arm_sum *s = (const tenon_arm_sum *)c->packed;
  int8_t *y = (int8_t *)c->out[0].data + (int32_t)begin;
  tenon_arm_arith_runs(c, (int32_t)begin, (int32_t)end, add_any_s8_mve_run);
  if (s->lo != INT8_MIN || s->hi != INT8_MAX)
    tenon_mve_clamp(y, y, (int32_t)(end - begin), s->lo, s->hi);
  return TENON_OK;
}
