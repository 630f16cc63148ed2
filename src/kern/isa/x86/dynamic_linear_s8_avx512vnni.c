// dynamic_linear_s8_avx512vnni.c - core::dynamic_linear with AVX-512 VNNI.
#include "kern/isa/x86/avx512vnni.h"
//
#include "kern/opt/integer_linear_s8_opt.h"

TENON_KERNEL_RANGE(tenon_k_dynamic_linear_s8_avx512vnni) {
  return tenon_dynamic_linear_s8_run(c, begin, end);
}
