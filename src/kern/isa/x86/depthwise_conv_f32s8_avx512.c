// depthwise_conv_f32s8_avx512.c - depthwise convolution of floats with
// quantised weights, with AVX-512.
#include "kern/isa/x86/avx512.h"
//
#include "kern/opt/depthwise_conv_f32s8_opt.h"

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_f32s8_avx512) {
  return tenon_depthwise_conv_f32s8_run(c, begin, end);
}
