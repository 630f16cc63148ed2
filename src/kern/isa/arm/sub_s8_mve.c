// sub_s8_mve.c - quantised difference of tensors of one shape, either of which
// may be the one that is scaled. Bit for bit what sub_s8_ref.c computes.
#include "kern/isa/arm/arith_mve.h"

TENON_KERNEL_RANGE(tenon_k_sub_s8_mve) {
  TENON_MVE_SUM_BEGIN
  if (s->half)
    TENON_MVE_SUMS("vsub.i32 q0, q0, q1\n")
  else
    TENON_MVE_SUMS("vsub.i32 q0, q1, q0\n")
  return TENON_OK;
}
