// conv_any_s8_dsp.c - quantised convolution of channels that are not plain, or
// within other limits than those of int8: as conv_s8_dsp.c, but for how results
// are stored.
#include "kern/isa/arm/dsp/conv_any_dsp.h"

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
  tenon_conv_any_dsp_pair(g, columns, y, distance, false, conv_any_s8_dsp_sums);
}

TENON_KERNEL_RANGE(tenon_k_conv_any_s8_dsp) {
  return tenon_conv_dsp(c, begin, end, conv_any_s8_dsp_pair);
}
