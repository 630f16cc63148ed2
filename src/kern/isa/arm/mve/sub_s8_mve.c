// sub_s8_mve.c - quantised difference of tensors of one shape, either of which
// may be the one that is scaled. Bit for bit what sub_s8_ref.c computes.
#include "kern/isa/arm/mve/arith_mve.h"

TENON_KERNEL_RANGE(tenon_k_sub_s8_mve) {
  if (((const tenon_arm_sum *)c->packed)->half)
    TENON_MVE_CALL(tenon_mve_sub_first, 0, 1);
  else
    TENON_MVE_CALL(tenon_mve_sub_second, 1, 0);
  return TENON_OK;
}
