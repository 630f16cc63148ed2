// max_pool_f32_avx512.c - maximum over a window, with AVX-512.
#include "kern/isa/x86/avx512.h"
//
#include "kern/opt/max_pool_f32_opt.h"

TENON_KERNEL_RANGE(tenon_k_max_pool_f32_avx512) {
  return tenon_max_pool_f32_run(c, begin, end);
}
