// cast_f32bf16_avx2.c - f32 as bf16, a register at a time.
#include "kern/isa/x86/avx2.h"
//
#include "kern/cast.h"
#include "kern/opt/each_opt.h"

TENON_CAST_VECTOR(tenon_k_cast_f32bf16_avx2, f32, bf16)
