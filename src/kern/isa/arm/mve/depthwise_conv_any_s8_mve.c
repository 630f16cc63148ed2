// depthwise_conv_any_s8_mve.c - quantised depthwise convolution of any
// channels. Bit for bit what depthwise_conv_s8_ref.c computes.
#include "kern/isa/arm/mve/depthwise_any_mve.h"

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_any_s8_mve) {
  return tenon_depthwise_any_mve(c, begin, end, false);
}
