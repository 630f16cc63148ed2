// sub_any_s8_dsp.c - quantised difference of tensors, repeated, within limits.
// Bit for bit what sub_s8_ref.c computes.
#include "kern/isa/arm/arith_any.h"
#include "kern/isa/arm/dsp/arith_dsp.h"

TENON_ARM_DIFFERENCE(tenon_k_sub_any_s8_dsp, int8_t, tenon_dsp_sub_first,
                     tenon_dsp_sub_second, tenon_dsp_clamp)
