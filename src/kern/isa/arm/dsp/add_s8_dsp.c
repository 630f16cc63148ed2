// add_s8_dsp.c - quantised sum of tensors of one shape. Bit for bit what
// add_s8_ref.c computes.
#include "kern/isa/arm/dsp/arith_dsp.h"

TENON_KERNEL_RANGE(tenon_k_add_s8_dsp) {
  const int32_t half = ((const tenon_arm_sum *)c->packed)->half;
  TENON_DSP_CALL(tenon_dsp_add, 1 - half, half);
  return TENON_OK;
}
