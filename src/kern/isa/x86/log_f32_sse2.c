// log_f32_sse2.c - log of floats, a register at a time.
#include "kern/isa/x86/sse2.h"
//
#include "kern/opt/real_f32_opt.h"

TENON_EACH_VECTOR(tenon_k_log_f32_sse2, tenon_vf_log)
