// depthwise_conv_s16q_dsp.c - depthwise convolution of 16-bit numbers with
// 8-bit weights, plain channels (arm_packed.h). Bit for bit what
// depthwise_conv_s16q_ref.c computes.
#include "kern/isa/arm/dsp/depthwise_wide_dsp.h"
#include "kern/isa/arm/dsp/wide_dsp.h"

TENON_ARM int16_t depthwise_conv_s16q_dsp_stored(const tenon_arm_window *g,
                                                 const int32_t *own,
                                                 int32_t sum) {
  const tenon_arm_channel *q = (const tenon_arm_channel *)(const void *)own;
  return tenon_wide_dsp_stored(g, q, sum + q->bias);
}

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_s16q_dsp) {
  return tenon_depthwise_wide(c, begin, end, depthwise_conv_s16q_dsp_stored);
}
