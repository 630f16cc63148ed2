// mul_s8_dsp.c - quantised product of tensors of one shape. Bit for bit what
// mul_s8_ref.c computes.
#include "kern/isa/arm/dsp/arith_dsp.h"

TENON_KERNEL_RANGE(tenon_k_mul_s8_dsp) {
  TENON_DSP_CALL(tenon_dsp_mul, 0, 1);
  return TENON_OK;
}
