// minimum_f32_avx2.c - minima of floats, with AVX2.
#include "kern/isa/x86/avx2.h"
//
#include "kern/opt/arith_f32_opt.h"

TENON_KERNEL_RANGE(tenon_k_minimum_f32_avx2) {
  return tenon_arith_f32_run(TENON_ARITH_MINIMUM, c, begin, end);
}
