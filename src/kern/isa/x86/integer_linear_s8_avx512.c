// integer_linear_s8_avx512.c - core::integer_linear with AVX-512.
#include "kern/isa/x86/avx512madd.h"
//
#include "kern/opt/integer_linear_s8_opt.h"

TENON_KERNEL_RANGE(tenon_k_integer_linear_s8_avx512) {
  return tenon_integer_linear_s8_run(c, begin, end);
}
