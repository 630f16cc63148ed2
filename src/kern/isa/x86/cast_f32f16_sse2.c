// cast_f32f16_sse2.c - f32 as f16, a register at a time.
#include "kern/isa/x86/sse2.h"
//
#include "kern/cast.h"
#include "kern/opt/each_opt.h"

TENON_CAST_VECTOR(tenon_k_cast_f32f16_sse2, f32, f16)
