// add_s8_mve.c - quantised sum of tensors of one shape. Bit for bit what
// add_s8_ref.c computes.
#include "kern/isa/arm/arith_mve.h"

TENON_KERNEL_RANGE(tenon_k_add_s8_mve) {
  TENON_MVE_SUM_BEGIN
  TENON_MVE_SUMS("vadd.i32 q0, q0, q1\n")
  return TENON_OK;
}
