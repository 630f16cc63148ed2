// depthwise_conv_f32_avx512.c - core::depthwise_conv on floats with AVX-512.
#include "kern/isa/x86/avx512.h"
//
#include "kern/opt/depthwise_conv_f32_opt.h"

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_f32_avx512) {
  return tenon_depthwise_conv_f32_run(c, begin, end);
}
