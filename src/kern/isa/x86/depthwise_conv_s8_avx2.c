// depthwise_conv_s8_avx2.c - core::depthwise_conv on int8 with AVX2.
#include "kern/isa/x86/avx2.h"
//
#include "kern/opt/depthwise_conv_s8_opt.h"

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_s8_avx2) {
  return tenon_depthwise_conv_s8_run(c, begin, end);
}
