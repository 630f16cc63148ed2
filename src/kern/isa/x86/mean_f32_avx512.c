// mean_f32_avx512.c - means of floats, with AVX-512.
#include "kern/isa/x86/avx512.h"
//
#include "kern/opt/sum_f32_opt.h"

TENON_KERNEL_RANGE(tenon_k_mean_f32_avx512) {
  return tenon_mean_f32_run(c, begin, end);
}
