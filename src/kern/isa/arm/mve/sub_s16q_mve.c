// sub_s16q_mve.c - quantised difference of tensors of 16 bits, repeated, within
// limits. Bit for bit what sub_s16q_ref.c computes.
#include "kern/isa/arm/arith_any.h"
#include "kern/isa/arm/mve/arith_mve.h"

TENON_ARM_DIFFERENCE(tenon_k_sub_s16q_mve, int16_t, tenon_mve_sub_first_s16,
                     tenon_mve_sub_second_s16, tenon_mve_clamp_s16)
