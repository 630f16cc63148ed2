// fully_connected_s8_dsp.c - quantised product, four channels at a time, of
// channels that are plain (arm_packed.h); the share of the zero point is part
// of the biases. Bit for bit what fully_connected_s8_ref.c computes.
#include "kern/isa/arm/dsp/matrix_dsp.h"

// Stores a result, rounded once: SMMLA adds half, and what it drops is less.
#define FULLY_CONNECTED_S8_DSP_STORED(sum, mult, round, shift) \
  "smmla " sum ", " sum ", " mult ", " round                   \
  "\n"                                                         \
  "asr.w " sum ", " sum ", " shift                             \
  "\n"                                                         \
  "ssat " sum ", #8, " sum                                     \
  "\n"                                                         \
  "strb " sum ", [r1], #1\n"

// All channels of a row, in fours: four biases, then twice factors, halves and
// shifts of two; the last shift is less than zero.
TENON_ASM void fully_connected_s8_dsp_row(TENON_ARG const int8_t *w,
                                          TENON_ARG const int32_t *table,
                                          TENON_ARG const int8_t *x,
                                          TENON_ARG const int8_t *stop,
                                          TENON_ARG int8_t *y) {
  __asm__(
      "push {r4-r11, lr}\n" TENON_MATRIX_DSP_ENTRY
      "push {r1, r2, r4}\n"
      "mov r2, r3\n"
      "mov lr, r1\n"
      "2:\n"
      "ldm lr!, {r3, r4, r5, r6}\n"
      "str lr, [sp]\n"
      "ldr r1, [sp, #4]\n" TENON_MATRIX_DSP_ALL("8")
      "ldr lr, [sp]\n"
      "ldr r1, [sp, #48]\n"
      "ldm lr!, {r7, r8, r9, r10, r11, r12}\n"
      FULLY_CONNECTED_S8_DSP_STORED("r3", "r7", "r9", "r11")
      FULLY_CONNECTED_S8_DSP_STORED("r4", "r8", "r10", "r12")
      "ldm lr!, {r7, r8, r9, r10, r11, r12}\n"
      FULLY_CONNECTED_S8_DSP_STORED("r5", "r7", "r9", "r11")
      FULLY_CONNECTED_S8_DSP_STORED("r6", "r8", "r10", "r12")
      "str r1, [sp, #48]\n"
      "cmp r12, #0\n"
      "bpl 2b\n"
      "add sp, #12\n"
      "pop {r4-r11, pc}\n");
}

TENON_KERNEL_RANGE(tenon_k_fully_connected_s8_dsp) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  const int32_t *const table = (const int32_t *)tenon_arm_rest(g);
  const int32_t out_c = g->out_c, fours = out_c & ~3;
  const int8_t *const w = (const int8_t *)(table + (out_c + 3) / 4 * 16);
  int8_t *y = (int8_t *)c->out[0].data + (int32_t)begin * out_c;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row, y += out_c) {
    const int8_t *x = tenon_matrix_dsp_row(c, g, row);
    if (fours) fully_connected_s8_dsp_row(w, table, x, x + g->k, y);
    if (fours < out_c) {  // nothing is written behind the last channel
      int8_t last[4];
      fully_connected_s8_dsp_row(w + fours * g->k, table + fours * 4, x,
                                 x + g->k, last);
      for (int32_t i = fours; i < out_c; ++i)
        y[i] = last[i - fours];
    }
  }
  return TENON_OK;
}
