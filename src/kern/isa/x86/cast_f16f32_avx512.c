// cast_f16f32_avx512.c - f16 as f32, a register at a time.
#include "kern/isa/x86/avx512.h"
//
#include "kern/cast.h"
#include "kern/opt/each_opt.h"

TENON_CAST_VECTOR(tenon_k_cast_f16f32_avx512, f16, f32)
