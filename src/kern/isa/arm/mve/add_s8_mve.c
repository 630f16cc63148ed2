// add_s8_mve.c - quantised sum of tensors of one shape. Bit for bit what
// add_s8_ref.c computes.
#include "kern/isa/arm/mve/arith_mve.h"

TENON_KERNEL_RANGE(tenon_k_add_s8_mve) {
  const int32_t half = ((const tenon_arm_sum *)c->packed)->half;
  TENON_MVE_CALL(tenon_mve_add, 1 - half, half);
  return TENON_OK;
}
