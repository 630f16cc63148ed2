// sub_f32_fpu.c - difference of floats, four at a time. Bit for bit what
// sub_f32_ref computes.
#include "kern/isa/arm/fpu/arith_fpu.h"

TENON_FPU_ARITH(sub_f32_fpu_run, "vsub")
TENON_FPU_ARITH_KERNEL(tenon_k_sub_f32_fpu, sub_f32_fpu_run, x1 - x2)
