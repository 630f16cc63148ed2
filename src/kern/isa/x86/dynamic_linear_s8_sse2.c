// dynamic_linear_s8_sse2.c - core::dynamic_linear with SSE2.
#include "kern/isa/x86/sse2.h"
//
#include "kern/opt/integer_linear_s8_opt.h"

TENON_KERNEL_RANGE(tenon_k_dynamic_linear_s8_sse2) {
  return tenon_dynamic_linear_s8_run(c, begin, end);
}
