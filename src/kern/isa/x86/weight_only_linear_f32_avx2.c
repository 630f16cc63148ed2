// weight_only_linear_f32_avx2.c - core::weight_only_linear with AVX2 and FMA.
#include "kern/isa/x86/avx2.h"
//
#include "kern/opt/weight_only_linear_f32_opt.h"

TENON_KERNEL_RANGE(tenon_k_weight_only_linear_f32_avx2) {
  return tenon_weight_only_run(c, begin, end);
}
