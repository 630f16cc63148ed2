// kern/isa/arm/dsp/wide_dsp.h - products of 16-bit numbers with 8-bit weights
// of four channels that are plain (arm_packed.h), added up in 32 bits.
//
// Packed: a tenon_arm_window, a tenon_arm_channel for each channel, weights:
// words of two taps of channels 0 and 1, then 2 and 3, their bytes in the order
// tap 0 of both, tap 1 of both, so that SXTB16 leaves those of a channel.
#ifndef TENON_KERN_ISA_ARM_WIDE_DSP_H
#define TENON_KERN_ISA_ARM_WIDE_DSP_H

#include "kern/isa/arm/dsp/dsp.h"
#include "tenon/tensor.h"

// Two channels' sums of a pair of numbers, or of one of each of two pixels.
#define TENON_WIDE_DSP_TWO(w, x, a, b) \
  "sxtb16 r12, " w                     \
  "\n"                                 \
  "sxtb16 " w ", " w                   \
  ", ror #8\n"                         \
  "smlad " a ", r12, " x ", " a        \
  "\n"                                 \
  "smlad " b ", " w ", " x ", " b "\n"

// Of a row until `stop`, fours away; to four sums, where biases were.
TENON_ASM void tenon_wide_dsp_row(TENON_ARG const int8_t *w,
                                  TENON_ARG const int16_t *x,
                                  TENON_ARG const int16_t *stop,
                                  TENON_ARG int32_t *sums) {
  __asm__(
      "push {r3-r11, lr}\n"
      "mov lr, r2\n"
      "ldm r3, {r4-r7}\n"
      "1:\n"
      "ldm r0!, {r8-r11}\n"
      "ldr r2, [r1], #4\n"
      "ldr r3, [r1], #4\n" TENON_WIDE_DSP_TWO("r8", "r2", "r4", "r5")
      TENON_WIDE_DSP_TWO("r9", "r2", "r6", "r7")
      TENON_WIDE_DSP_TWO("r10", "r3", "r4", "r5")
      TENON_WIDE_DSP_TWO("r11", "r3", "r6", "r7")
      "cmp r1, lr\n"
      "bne 1b\n"
      "ldr r3, [sp]\n"
      "stm r3, {r4-r7}\n"
      "pop {r3-r11, pc}\n");
}

// Of two pixels, whose words take turns, the sums of a channel side by side.
#define TENON_WIDE_DSP_FOUR(a, b, c, d) \
  "ldr r12, [r0], #4\n"                 \
  "sxtb16 lr, r12\n"                    \
  "sxtb16 r12, r12, ror #8\n"           \
  "smlad " a ", lr, r2, " a             \
  "\n"                                  \
  "smlad " b ", lr, r3, " b             \
  "\n"                                  \
  "smlad " c ", r12, r2, " c            \
  "\n"                                  \
  "smlad " d ", r12, r3, " d "\n"
TENON_ASM void tenon_wide_dsp_pair(TENON_ARG const int8_t *w,
                                   TENON_ARG const int16_t *x,
                                   TENON_ARG const int16_t *stop,
                                   TENON_ARG int32_t *sums) {
  __asm__(
      "push {r2-r11, lr}\n"
      "ldm r3, {r4-r11}\n"
      "1:\n"
      ".rept 2\n"
      "ldm r1!, {r2, r3}\n" TENON_WIDE_DSP_FOUR("r4", "r5", "r6", "r7")
      TENON_WIDE_DSP_FOUR("r8", "r9", "r10", "r11")
      ".endr\n"
      "ldr r2, [sp]\n"
      "cmp r1, r2\n"
      "bne 1b\n"
      "ldr r3, [sp, #4]\n"
      "stm r3, {r4-r11}\n"
      "pop {r2-r11, pc}\n");
}

// A sum as it is stored: the upper half of the product, rounded with ties up.
TENON_ARM int16_t tenon_wide_dsp_stored(const tenon_arm_window *g,
                                        const tenon_arm_channel *q,
                                        int32_t sum) {
  const int32_t v = (tenon_dsp_smmul(sum, q->mult) + q->round) >> q->shift;
  return (int16_t)tenon_clamp_s32(v, g->lo, g->hi);
}

// A row of g->c numbers, with zeros up to g->k: nothing is read behind the last
// one of all.
TENON_ARM const int16_t *tenon_wide_dsp_whole(const tenon_arm_window *g,
                                              const void *rows, int32_t row,
                                              void *scratch) {
  const int16_t *const x = (const int16_t *)rows + row * g->c;
  int16_t *const to = (int16_t *)scratch;
  if (g->c == g->k) return x;
  for (int32_t i = 0; i < g->k; ++i)
    to[i] = i < g->c ? x[i] : 0;
  return to;
}

// All channels of g->k numbers at x; of two pixels where `pair` is 1, whose
// results are g->out_c apart.
static __attribute__((unused)) void tenon_wide_dsp(const tenon_arm_window *g,
                                                   const int16_t *x, int16_t *y,
                                                   int32_t pair) {
  const tenon_arm_channel *q = (const tenon_arm_channel *)tenon_arm_rest(g);
  const int8_t *w = (const int8_t *)(q + (g->out_c + 3) / 4 * 4);
  const int16_t *const stop = x + g->k * (1 + pair);
  for (int32_t i = 0; i < g->out_c; i += 4, q += 4, w += 4 * g->k) {
    int32_t sums[8];
    for (int32_t n = 0; n < 4; ++n)
      sums[n << pair] = sums[(n << pair) + pair] = q[n].bias;
    if (pair)
      tenon_wide_dsp_pair(w, x, stop, sums);
    else
      tenon_wide_dsp_row(w, x, stop, sums);
    for (int32_t n = 0; n < 4 && i + n < g->out_c; ++n)
      for (int32_t p = 0; p <= pair; ++p)
        y[p * g->out_c + i + n] =
            tenon_wide_dsp_stored(g, &q[n], sums[(n << pair) + p]);
  }
}

#endif  // TENON_KERN_ISA_ARM_WIDE_DSP_H
