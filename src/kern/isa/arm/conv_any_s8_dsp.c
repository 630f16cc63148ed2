// conv_any_s8_dsp.c - quantised convolution of channels that are not plain, or
// within other limits than those of int8: as conv_s8_dsp.c, but for how results
// are stored.
#include "kern/isa/arm/conv_dsp.h"

// The sums of two channels of two pixels: channel 0 and 1 of pixel 0, then of
// pixel 1, where the biases were.
TENON_ASM void conv_any_s8_dsp_sums(TENON_ARG const int8_t *w,
                                    TENON_ARG int32_t *sums,
                                    TENON_ARG const uint32_t *columns,
                                    TENON_ARG const uint32_t *stop) {
  __asm__(
      "push {r4-r11, lr}\n" TENON_CONV_DSP_ENTRY
      "push {r1, r2, r4}\n"
      "mov lr, r1\n"
      "mov r1, r2\n"
      "mov r2, r3\n"
      "ldm lr, {r3, r4, r5, r6}\n" TENON_CONV_DSP_ALL("8")
      "ldr lr, [sp]\n"
      "stm lr, {r3, r4, r5, r6}\n"
      "add sp, #12\n"
      "pop {r4-r11, pc}\n");
}

static void conv_any_s8_dsp_pair(const tenon_arm_window *g,
                                 const uint32_t *columns, int8_t *y,
                                 int32_t distance) {
  const tenon_arm_channel *q = (const tenon_arm_channel *)(g + 1);
  const int32_t out_c = g->out_c;
  const int8_t *w = (const int8_t *)(q + (out_c + 1) / 2 * 2);
  for (int32_t i = 0; i < out_c; i += 2, q += 2, w += 2 * g->k) {
    int32_t sums[4] = {q[0].bias, q[1].bias, q[0].bias, q[1].bias};
    conv_any_s8_dsp_sums(w, sums, columns, columns + g->k);
    for (int32_t k = 0; k < 4; ++k) {
      const int32_t channel = k & 1, pixel = k >> 1;
      if ((pixel && !distance) || i + channel >= out_c) continue;
      const int32_t v =
          tenon_requant_twice(sums[k], q[channel].mult, q[channel].shift);
      y[pixel * out_c + i + channel] =
          (int8_t)tenon_clamp_s32(tenon_add_s32(v, g->y_zero), g->lo, g->hi);
    }
  }
}

TENON_KERNEL_RANGE(tenon_k_conv_any_s8_dsp) {
  return tenon_conv_dsp(c, begin, end, conv_any_s8_dsp_pair);
}
