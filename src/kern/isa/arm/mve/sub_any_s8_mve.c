// sub_any_s8_mve.c - quantised difference of tensors, repeated, within limits.
// Bit for bit what sub_s8_ref.c computes.
#include "kern/isa/arm/arith_any.h"
#include "kern/isa/arm/mve/arith_mve.h"

TENON_ARM_DIFFERENCE(tenon_k_sub_any_s8_mve, int8_t, tenon_mve_sub_first,
                     tenon_mve_sub_second, tenon_mve_clamp)
