// depthwise_conv_s4_dsp.c - quantised depthwise convolution with weights that
// fit into 4 bits and lie in flash so. Bit for bit what depthwise_conv_s8_ref.c
// computes.
#include "kern/isa/arm/dsp/depthwise_any_dsp.h"

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_s4_dsp) {
  return tenon_depthwise_any_dsp(c, begin, end, true);
}
