// kern/isa/arm/dsp/wide_any_dsp.h - products of 16-bit numbers with 8-bit
// weights of four channels, added up in 64 bits.
//
// Packed: a tenon_arm_window, a tenon_arm_wide for each channel, weights: words
// of four channels in turn, their bytes in the order 0, 2, 1, 3, so that SXTB16
// leaves neighbours together.
#ifndef TENON_KERN_ISA_ARM_WIDE_ANY_DSP_H
#define TENON_KERN_ISA_ARM_WIDE_ANY_DSP_H

#include "kern/isa/arm/dsp/dsp.h"
#include "tenon/tensor.h"

#define TENON_WIDE_ANY_DSP_ONE(low, high) \
  "ldr r2, [r0], #4\n"                    \
  "sxtb16 r3, r2\n"                       \
  "smlald " low ", " high                 \
  ", r3, r12\n"                           \
  "sxtb16 r3, r2, ror #8\n"               \
  "smlald " low ", " high ", r3, lr\n"

// Of x, until `stop`, which is fours away; to four sums, where biases were.
TENON_ASM void tenon_wide_any_dsp_sums(TENON_ARG const int8_t *w,
                                       TENON_ARG const int16_t *x,
                                       TENON_ARG const int16_t *stop,
                                       TENON_ARG int64_t *sums) {
  __asm__(
      "push {r4-r11, lr}\n"
      "push {r2, r3}\n"
      "ldm r3, {r4-r11}\n"
      "1:\n"
      "ldr r12, [r1], #4\n"
      "ldr lr, [r1], #4\n" TENON_WIDE_ANY_DSP_ONE("r4", "r5")
      TENON_WIDE_ANY_DSP_ONE("r6", "r7") TENON_WIDE_ANY_DSP_ONE("r8", "r9")
      TENON_WIDE_ANY_DSP_ONE("r10", "r11")
      "ldr r3, [sp]\n"
      "cmp r1, r3\n"
      "bne 1b\n"
      "ldr r3, [sp, #4]\n"
      "stm r3, {r4-r11}\n"
      "add sp, #8\n"
      "pop {r4-r11, pc}\n");
}

// All channels of a row of g->k numbers; `requant` brings a sum to the scale of
// the result.
TENON_ARM void tenon_wide_any_dsp_row(const tenon_arm_window *g,
                                      const int16_t *x, int16_t *y,
                                      int32_t (*requant)(int64_t, int32_t,
                                                         int32_t)) {
  const tenon_arm_wide *q = (const tenon_arm_wide *)tenon_arm_rest(g);
  const int8_t *w = (const int8_t *)(q + (g->out_c + 3) / 4 * 4);
  for (int32_t i = 0; i < g->out_c; i += 4, q += 4, w += 4 * g->k) {
    int64_t sums[4];
    for (int32_t n = 0; n < 4; ++n)
      sums[n] =
          (int64_t)((uint64_t)(uint32_t)q[n].high << 32 | (uint32_t)q[n].low);
    tenon_wide_any_dsp_sums(w, x, x + g->k, sums);
    for (int32_t n = 0; n < 4 && i + n < g->out_c; ++n) {
      const int32_t v = requant(sums[n], q[n].mult, q[n].shift);
      y[i + n] =
          (int16_t)tenon_clamp_s32(tenon_add_s32(v, g->y_zero), g->lo, g->hi);
    }
  }
}

#endif  // TENON_KERN_ISA_ARM_WIDE_ANY_DSP_H
