// mul_s16q_mve.c - quantised product of tensors of 16 bits, repeated, within
// limits. Bit for bit what mul_s16q_ref.c computes.
#include "kern/isa/arm/arith_any.h"
#include "kern/isa/arm/mve/arith_mve.h"

TENON_ARM_ARITH(tenon_k_mul_s16q_mve, int16_t, tenon_mve_mul_s16,
                tenon_mve_clamp_s16)
