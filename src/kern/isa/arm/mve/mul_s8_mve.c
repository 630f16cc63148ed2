// mul_s8_mve.c - quantised product of tensors of one shape. Bit for bit what
// mul_s8_ref.c computes.
#include "kern/isa/arm/mve/arith_mve.h"

TENON_KERNEL_RANGE(tenon_k_mul_s8_mve) {
  TENON_MVE_CALL(tenon_mve_mul, 0, 1);
  return TENON_OK;
}
