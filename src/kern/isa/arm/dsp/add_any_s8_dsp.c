// add_any_s8_dsp.c - quantised sum of tensors, repeated, within limits. Bit for
// bit what add_s8_ref.c computes.
#include "kern/isa/arm/arith_any.h"
#include "kern/isa/arm/dsp/arith_dsp.h"

TENON_ARM_SUM(tenon_k_add_any_s8_dsp, int8_t, tenon_dsp_add, tenon_dsp_clamp)
