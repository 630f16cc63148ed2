// mul_any_s8_mve.c - quantised product of tensors, repeated, within limits. Bit
// for bit what mul_s8_ref.c computes.
#include "kern/isa/arm/arith_any.h"
#include "kern/isa/arm/mve/arith_mve.h"

TENON_ARM_ARITH(tenon_k_mul_any_s8_mve, int8_t, tenon_mve_mul, tenon_mve_clamp)
