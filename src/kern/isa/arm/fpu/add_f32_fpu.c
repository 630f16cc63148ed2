// add_f32_fpu.c - sum of floats, four at a time. Bit for bit what
// add_f32_ref computes.
#include "kern/isa/arm/fpu/arith_fpu.h"

TENON_FPU_ARITH(add_f32_fpu_run, "vadd")
TENON_FPU_ARITH_KERNEL(tenon_k_add_f32_fpu, add_f32_fpu_run, x1 + x2)
