// max_pool_f32_avx2.c - maximum over a window, with AVX2.
#include "kern/isa/x86/avx2.h"
//
#include "kern/opt/max_pool_f32_opt.h"

TENON_KERNEL_RANGE(tenon_k_max_pool_f32_avx2) {
  return tenon_max_pool_f32_run(c, begin, end);
}
