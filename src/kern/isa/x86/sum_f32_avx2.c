// sum_f32_avx2.c - sums of floats, with AVX2.
#include "kern/isa/x86/avx2.h"
//
#include "kern/opt/sum_f32_opt.h"

TENON_KERNEL_RANGE(tenon_k_sum_f32_avx2) {
  return tenon_sum_f32_run(c, begin, end);
}
