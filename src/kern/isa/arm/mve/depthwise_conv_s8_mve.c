// depthwise_conv_s8_mve.c - quantised depthwise convolution with a window of at
// most 4 by 4 taps. Bit for bit what depthwise_conv_s8_ref.c computes.
#include "kern/isa/arm/mve/depthwise_mve.h"

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_s8_mve) {
  return tenon_depthwise_mve(c, (int32_t)begin, (int32_t)end, false);
}
