// depthwise_conv_f32_sse2.c - core::depthwise_conv on floats with SSE2.
#include "kern/isa/x86/sse2.h"
//
#include "kern/opt/depthwise_conv_f32_opt.h"

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_f32_sse2) {
  return tenon_depthwise_conv_f32_run(c, begin, end);
}
