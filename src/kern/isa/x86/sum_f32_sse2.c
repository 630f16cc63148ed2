// sum_f32_sse2.c - sums of floats, with SSE2.
#include "kern/isa/x86/sse2.h"
//
#include "kern/opt/sum_f32_opt.h"

TENON_KERNEL_RANGE(tenon_k_sum_f32_sse2) {
  return tenon_sum_f32_run(c, begin, end);
}
