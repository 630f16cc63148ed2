// depthwise_conv_any_s16q_dsp.c - depthwise convolution of 16-bit numbers with
// 8-bit weights, any channels, of each of which a tenon_arm_wide is packed. Bit
// for bit what depthwise_conv_s16q_ref.c computes.
#include "kern/isa/arm/dsp/depthwise_wide_dsp.h"

TENON_ARM int16_t depthwise_conv_any_s16q_dsp_stored(const tenon_arm_window *g,
                                                     const int32_t *own,
                                                     int32_t sum) {
  const tenon_arm_wide *q = (const tenon_arm_wide *)(const void *)own;
  const uint64_t bias = (uint64_t)(uint32_t)q->high << 32 | (uint32_t)q->low;
  const int32_t v = tenon_requant_wide((int64_t)bias + sum, q->mult, q->shift);
  return (int16_t)tenon_clamp_s32(tenon_add_s32(v, g->y_zero), g->lo, g->hi);
}

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_any_s16q_dsp) {
  return tenon_depthwise_wide(c, begin, end,
                              depthwise_conv_any_s16q_dsp_stored);
}
