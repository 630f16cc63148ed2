// mul_s8_dsp.c - quantised product of tensors of one shape. Bit for bit what
// mul_s8_ref.c computes.
#include "kern/isa/arm/arith_dsp.h"

TENON_DSP_ARITH(mul_s8_dsp_run, TENON_DSP_PRODUCT)

TENON_KERNEL_RANGE(tenon_k_mul_s8_dsp) {
  TENON_DSP_CALL(mul_s8_dsp_run, 0, 1);
  return TENON_OK;
}
