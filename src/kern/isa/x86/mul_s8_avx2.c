// mul_s8_avx2.c - quantised products, with AVX2.
#include "kern/isa/x86/avx2.h"
//
#include "kern/opt/arith_s8_opt.h"

TENON_KERNEL_RANGE(tenon_k_mul_s8_avx2) {
  return tenon_mul_s8_run(c, begin, end);
}
