// erf_f32_avx512.c - the error function of floats, in registers of doubles.
#include "kern/isa/x86/avx512.h"
//
#include "kern/opt/real64_opt.h"

TENON_EACH_DOUBLE(tenon_k_erf_f32_avx512, tenon_vd_erf)
