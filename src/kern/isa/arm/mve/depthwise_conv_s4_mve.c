// depthwise_conv_s4_mve.c - quantised depthwise convolution with weights that
// fit into 4 bits and lie in flash so. Bit for bit what depthwise_conv_s8_ref.c
// computes.
#include "kern/isa/arm/mve/depthwise_any_mve.h"

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_s4_mve) {
  return tenon_depthwise_any_mve(c, begin, end, true);
}
