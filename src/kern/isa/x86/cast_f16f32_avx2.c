// cast_f16f32_avx2.c - f16 as f32, a register at a time.
#include "kern/isa/x86/avx2.h"
//
#include "kern/cast.h"
#include "kern/opt/each_opt.h"

TENON_CAST_VECTOR(tenon_k_cast_f16f32_avx2, f16, f32)
