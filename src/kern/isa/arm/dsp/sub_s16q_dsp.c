// sub_s16q_dsp.c - quantised difference of tensors of 16 bits, repeated, within
// limits. Bit for bit what sub_s16q_ref.c computes.
#include "kern/isa/arm/arith_any.h"
#include "kern/isa/arm/dsp/arith_dsp.h"

TENON_ARM_DIFFERENCE(tenon_k_sub_s16q_dsp, int16_t, tenon_dsp_sub_first_s16,
                     tenon_dsp_sub_second_s16, tenon_dsp_clamp_s16)
