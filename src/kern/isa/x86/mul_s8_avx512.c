// mul_s8_avx512.c - quantised products, with AVX-512.
#include "kern/isa/x86/bytes_avx512.h"
//
#include "kern/opt/arith_s8_opt.h"

TENON_KERNEL_RANGE(tenon_k_mul_s8_avx512) {
  return tenon_mul_s8_run(c, begin, end);
}
