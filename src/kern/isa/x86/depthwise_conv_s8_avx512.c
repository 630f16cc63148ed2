// depthwise_conv_s8_avx512.c - core::depthwise_conv on int8 with AVX-512.
#include "kern/isa/x86/avx512madd.h"
//
#include "kern/opt/depthwise_conv_s8_opt.h"

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_s8_avx512) {
  return tenon_depthwise_conv_s8_run(c, begin, end);
}
