// add_s16q_mve.c - quantised sum of tensors of 16 bits, repeated, within
// limits. Bit for bit what add_s16q_ref.c computes.
#include "kern/isa/arm/arith_any.h"
#include "kern/isa/arm/mve/arith_mve.h"

TENON_ARM_SUM(tenon_k_add_s16q_mve, int16_t, tenon_mve_add_s16,
              tenon_mve_clamp_s16)
