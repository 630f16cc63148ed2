// depthwise_conv_f32s8_avx2.c - depthwise convolution of floats with quantised
// weights, with AVX2.
#include "kern/isa/x86/avx2.h"
//
#include "kern/opt/depthwise_conv_f32s8_opt.h"

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_f32s8_avx2) {
  return tenon_depthwise_conv_f32s8_run(c, begin, end);
}
