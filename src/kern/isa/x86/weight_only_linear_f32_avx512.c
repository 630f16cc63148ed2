// weight_only_linear_f32_avx512.c - core::weight_only_linear with AVX-512.
#include "kern/isa/x86/avx512.h"
//
#include "kern/opt/weight_only_linear_f32_opt.h"

TENON_KERNEL_RANGE(tenon_k_weight_only_linear_f32_avx512) {
  return tenon_weight_only_run(c, begin, end);
}
