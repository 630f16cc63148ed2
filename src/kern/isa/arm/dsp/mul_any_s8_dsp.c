// mul_any_s8_dsp.c - quantised product of tensors, repeated, within limits. Bit
// for bit what mul_s8_ref.c computes.
#include "kern/isa/arm/arith_any.h"
#include "kern/isa/arm/dsp/arith_dsp.h"

TENON_ARM_ARITH(tenon_k_mul_any_s8_dsp, int8_t, tenon_dsp_mul, tenon_dsp_clamp)
