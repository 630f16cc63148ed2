// log_softmax_f32_sse2.c - the logarithm of softmax of floats, with SSE2.
#include "kern/isa/x86/sse2.h"
//
#include "kern/opt/softmax_f32_opt.h"

TENON_KERNEL_RANGE(tenon_k_log_softmax_f32_sse2) {
  return tenon_log_softmax_f32_run(c, begin, end);
}
