// depthwise_conv_any_s8_dsp.c - quantised depthwise convolution of any
// channels. Bit for bit what depthwise_conv_s8_ref.c computes.
#include "kern/isa/arm/dsp/depthwise_any_dsp.h"

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_any_s8_dsp) {
  return tenon_depthwise_any_dsp(c, begin, end, false);
}
