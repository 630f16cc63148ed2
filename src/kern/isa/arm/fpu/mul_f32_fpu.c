// mul_f32_fpu.c - product of floats, four at a time. Bit for bit what
// mul_f32_ref computes.
#include "kern/isa/arm/fpu/arith_fpu.h"

TENON_FPU_ARITH(mul_f32_fpu_run, "vmul")
TENON_FPU_ARITH_KERNEL(tenon_k_mul_f32_fpu, mul_f32_fpu_run, x1 *x2)
