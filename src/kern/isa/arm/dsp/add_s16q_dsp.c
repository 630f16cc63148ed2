// add_s16q_dsp.c - quantised sum of tensors of 16 bits, repeated, within
// limits. Bit for bit what add_s16q_ref.c computes.
#include "kern/isa/arm/arith_any.h"
#include "kern/isa/arm/dsp/arith_dsp.h"

TENON_ARM_SUM(tenon_k_add_s16q_dsp, int16_t, tenon_dsp_add_s16,
              tenon_dsp_clamp_s16)
