// cast_f32f16_avx512.c - f32 as f16, a register at a time.
#include "kern/isa/x86/avx512.h"
//
#include "kern/cast.h"
#include "kern/opt/each_opt.h"

TENON_CAST_VECTOR(tenon_k_cast_f32f16_avx512, f32, f16)
