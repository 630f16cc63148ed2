// add_s8_dsp.c - quantised sum of tensors of one shape. Bit for bit what
// add_s8_ref.c computes.
#include "kern/isa/arm/arith_dsp.h"

TENON_KERNEL_RANGE(tenon_k_add_s8_dsp) {
  TENON_DSP_SUM_BEGIN
  TENON_DSP_SUMS("add")
  return TENON_OK;
}
