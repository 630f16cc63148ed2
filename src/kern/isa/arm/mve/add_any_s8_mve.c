// add_any_s8_mve.c - quantised sum of tensors, repeated, within limits. Bit for
// bit what add_s8_ref.c computes.
#include "kern/isa/arm/arith_any.h"
#include "kern/isa/arm/mve/arith_mve.h"

TENON_ARM_SUM(tenon_k_add_any_s8_mve, int8_t, tenon_mve_add, tenon_mve_clamp)
