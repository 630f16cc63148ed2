// depthwise_conv_s8_avx512vnni.c - core::depthwise_conv on int8 with AVX-512
// VNNI.
#include "kern/isa/x86/avx512vnni.h"
//
#include "kern/opt/depthwise_conv_s8_opt.h"

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_s8_avx512vnni) {
  return tenon_depthwise_conv_s8_run(c, begin, end);
}
