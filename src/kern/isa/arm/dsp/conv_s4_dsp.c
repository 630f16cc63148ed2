// conv_s4_dsp.c - quantised convolution with weights that fit into 4 bits and
// lie in flash so: as conv_any_s8_dsp.c, but they are widened between loads and
// products. Bit for bit what conv_s8_ref.c computes.
#include "kern/isa/arm/dsp/conv_any_dsp.h"

// The sums of two channels of two pixels: channel 0 and 1 of pixel 0, then of
// pixel 1, from zero.
TENON_ASM void conv_s4_dsp_sums(TENON_ARG const int8_t *w,
                                TENON_ARG int32_t *sums,
                                TENON_ARG const uint32_t *columns,
                                TENON_ARG const uint32_t *stop) {
  __asm__(
      "push {r4-r11, lr}\n" TENON_CONV_DSP_ENTRY_OF("68")
      "push {r1, r2, r4}\n"
      "mov lr, r1\n"
      "mov r1, r2\n"
      "mov r2, r3\n"
      "ldm lr, {r3, r4, r5, r6}\n" TENON_CONV_DSP_ALL_OF(TENON_CONV_DSP_FOUR_NARROW, "8")
      "ldr lr, [sp]\n"
      "stm lr, {r3, r4, r5, r6}\n"
      "add sp, #12\n"
      "pop {r4-r11, pc}\n");
}

static void conv_s4_dsp_pair(const tenon_arm_window *g, const uint32_t *columns,
                             int8_t *y, int32_t distance) {
  tenon_conv_any_dsp_pair(g, columns, y, distance, true, conv_s4_dsp_sums);
}

TENON_KERNEL_RANGE(tenon_k_conv_s4_dsp) {
  return tenon_conv_dsp(c, begin, end, conv_s4_dsp_pair);
}
