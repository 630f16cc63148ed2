// conv_s8_dsp.c - quantised convolution, two pixels and two channels at a time,
// of channels that are plain (arm_packed.h). Bit for bit what conv_s8_ref.c
// computes.
#include "kern/isa/arm/dsp/conv_dsp.h"

// Stores a result, rounded twice (kern/num/fixed.h): the high half of the
// doubled product with ties up, then shifted with ties away from zero, which
// for a negative number is one less and ties up. `mult` is the doubled factor
// less 2^32, for which SMMLAR adds the sum itself. Of a sum that is rounded to
// zero one less changes nothing, so its sign is the sum's.
#define CONV_S8_DSP_STORED(sum, mult, round, shift) \
  "add.w r1, " round ", " sum                       \
  ", asr #31\n"                                     \
  "add r1, r1, " sum                                \
  "\n"                                              \
  "smmlar " sum ", " sum ", " mult                  \
  ", r1\n"                                          \
  "asr.w " sum ", " sum ", " shift                  \
  "\n"                                              \
  "ssat " sum ", #8, " sum "\n"

// All channels of two pixels, in pairs: the biases of two, then factor, half
// and shift of each, the last shift less than zero. On the stack: the table,
// columns, where to begin; behind nine registers y, and how far the second
// pixel is, 0 if there is none: then it is overwritten by the first.
TENON_ASM void conv_s8_dsp_pixels(TENON_ARG const int8_t *w,
                                  TENON_ARG const int32_t *table,
                                  TENON_ARG const uint32_t *columns,
                                  TENON_ARG const uint32_t *stop,
                                  TENON_ARG int8_t *y,
                                  TENON_ARG int32_t distance) {
  __asm__(
      "push {r4-r11, lr}\n" TENON_CONV_DSP_ENTRY
      "push {r1, r2, r4}\n"
      "mov r2, r3\n"
      "mov lr, r1\n"
      "2:\n"
      "ldm lr!, {r3, r4}\n"
      "str lr, [sp]\n"
      "ldr r1, [sp, #4]\n"
      "mov r5, r3\n"
      "mov r6, r4\n" TENON_CONV_DSP_ALL("8")
      "ldr lr, [sp]\n"
      "ldm lr!, {r7, r8, r9, r10, r11, r12}\n"
      CONV_S8_DSP_STORED("r3", "r7", "r8", "r9")
      CONV_S8_DSP_STORED("r5", "r7", "r8", "r9")
      "ldrd r8, r9, [sp, #48]\n"
      CONV_S8_DSP_STORED("r4", "r10", "r11", "r12")
      CONV_S8_DSP_STORED("r6", "r10", "r11", "r12")
      "strb r5, [r8, r9]\n"
      "strb r3, [r8], #1\n"
      "strb r6, [r8, r9]\n"
      "strb r4, [r8], #1\n"
      "str r8, [sp, #48]\n"
      "cmp r12, #0\n"
      "bpl 2b\n"
      "add sp, #12\n"
      "pop {r4-r11, pc}\n");
}

TENON_ARM void conv_s8_dsp_pair(const tenon_arm_window *g,
                                const uint32_t *columns, int8_t *y,
                                int32_t distance) {
  const int32_t *const table = (const int32_t *)tenon_arm_rest(g);
  const int32_t out_c = g->out_c, even = out_c & ~1;
  const int8_t *const w = (const int8_t *)(table + (out_c + 1) / 2 * 8);
  if (even) conv_s8_dsp_pixels(w, table, columns, columns + g->k, y, distance);
  if (even < out_c) {  // nothing is written behind the last channel
    int8_t last[4];
    conv_s8_dsp_pixels(w + even * g->k, table + even * 4, columns,
                       columns + g->k, last, distance ? 2 : 0);
    y[even] = last[0];
    if (distance) y[out_c + even] = last[2];
  }
}

TENON_KERNEL_RANGE(tenon_k_conv_s8_dsp) {
  return tenon_conv_dsp(c, begin, end, conv_s8_dsp_pair);
}
