// dynamic_linear_s8_avx512.c - core::dynamic_linear with AVX-512.
#include "kern/isa/x86/avx512madd.h"
//
#include "kern/opt/integer_linear_s8_opt.h"

TENON_KERNEL_RANGE(tenon_k_dynamic_linear_s8_avx512) {
  return tenon_dynamic_linear_s8_run(c, begin, end);
}
