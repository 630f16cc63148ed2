// kern/isa/arm/dsp/conv_any_dsp.h - how sums of two channels of two pixels are
// stored where channels are not plain, or limits are not those of int8.
#ifndef TENON_KERN_ISA_ARM_CONV_ANY_DSP_H
#define TENON_KERN_ISA_ARM_CONV_ANY_DSP_H

#include "kern/isa/arm/dsp/conv_dsp.h"

// Channel 0 and 1 of pixel 0, then of pixel 1, where the biases were.
typedef void tenon_conv_any_dsp_sums(const int8_t *w, int32_t *sums,
                                     const uint32_t *columns,
                                     const uint32_t *stop);

// `narrow`: weights of 4 bits, whose sums are 16 times as large.
TENON_ARM void tenon_conv_any_dsp_pair(const tenon_arm_window *g,
                                       const uint32_t *columns, int8_t *y,
                                       int32_t distance, bool narrow,
                                       tenon_conv_any_dsp_sums *products) {
  const tenon_arm_channel *q = (const tenon_arm_channel *)tenon_arm_rest(g);
  const int32_t out_c = g->out_c, bytes = narrow ? g->k : 2 * g->k;
  const int8_t *w = (const int8_t *)(q + (out_c + 1) / 2 * 2);
  for (int32_t i = 0; i < out_c; i += 2, q += 2, w += bytes) {
    int32_t sums[4] = {q[0].bias, q[1].bias, q[0].bias, q[1].bias};
    if (narrow) sums[0] = sums[1] = sums[2] = sums[3] = 0;
    products(w, sums, columns, columns + g->k);
    for (int32_t k = 0; k < 4; ++k) {
      const int32_t channel = k & 1, pixel = k >> 1;
      if ((pixel && !distance) || i + channel >= out_c) continue;
      if (narrow) sums[k] = tenon_add_s32(sums[k] >> 4, q[channel].bias);
      const int32_t v =
          tenon_requant_twice(sums[k], q[channel].mult, q[channel].shift);
      y[pixel * out_c + i + channel] =
          (int8_t)tenon_clamp_s32(tenon_add_s32(v, g->y_zero), g->lo, g->hi);
    }
  }
}

// Defines the function `name`, those sums, and the kernel `kernel` of them with
// `pair`, for weights that `four` takes in `bytes` of code.
// clang-format off
#define TENON_CONV_ANY_DSP_KERNEL(kernel, pair, name, four, bytes, narrow) \
  TENON_ASM void name(TENON_ARG const int8_t *w, TENON_ARG int32_t *sums, \
                      TENON_ARG const uint32_t *columns, \
                      TENON_ARG const uint32_t *stop) { \
    __asm__("push {r4-r11, lr}\n" TENON_CONV_DSP_ENTRY_OF(bytes) \
            "push {r1, r2, r4}\n" \
            "mov lr, r1\n" \
            "mov r1, r2\n" \
            "mov r2, r3\n" \
            "ldm lr, {r3, r4, r5, r6}\n" TENON_CONV_DSP_ALL_OF(four, "8") \
            "ldr lr, [sp]\n" \
            "stm lr, {r3, r4, r5, r6}\n" \
            "add sp, #12\n" \
            "pop {r4-r11, pc}\n"); \
  } \
  static void pair(const tenon_arm_window *g, const uint32_t *columns, \
                   int8_t *y, int32_t distance) { \
    tenon_conv_any_dsp_pair(g, columns, y, distance, narrow, name); \
  } \
  TENON_KERNEL_RANGE(kernel) { return tenon_conv_dsp(c, begin, end, pair); }
// clang-format on

#endif  // TENON_KERN_ISA_ARM_CONV_ANY_DSP_H
