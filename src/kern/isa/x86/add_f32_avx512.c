// add_f32_avx512.c - sums of floats, with AVX-512.
#include "kern/isa/x86/avx512.h"
//
#include "kern/opt/arith_f32_opt.h"

TENON_KERNEL_RANGE(tenon_k_add_f32_avx512) {
  return tenon_arith_f32_run(TENON_ARITH_ADD, c, begin, end);
}
