// mul_any_s8_mve.c - quantised product of tensors, repeated, within limits. Bit
// for bit what mul_s8_ref.c computes.
#include "kern/isa/arm/arith_any.h"
#include "kern/isa/arm/arith_mve.h"

TENON_KERNEL_RANGE(tenon_k_mul_any_s8_mve) {
  const tenon_arm_sum *s = (const tenon_arm_sum *)c->packed;
  int8_t *y = (int8_t *)c->out[0].data + (int32_t)begin;
  tenon_arm_arith_runs(c, (int32_t)begin, (int32_t)end, tenon_mve_mul);
  if (s->lo != INT8_MIN || s->hi != INT8_MAX)
    tenon_mve_clamp(y, y, (int32_t)(end - begin), s->lo, s->hi);
  return TENON_OK;
}
