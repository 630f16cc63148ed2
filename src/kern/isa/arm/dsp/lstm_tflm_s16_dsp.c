// lstm_tflm_s16_dsp.c - a layer of LSTM as TFLite Micro's, 16 bits outside: two
// rows and four products at a time.
// Bit for bit what lstm_tflm_s16_ref.c computes.
#include "kern/isa/arm/dsp/dsp.h"
#include "kern/product/lstm_tflm.h"

TENON_ASM void lstm_tflm_s16_dsp_sums(
    TENON_ARG const int8_t *w, TENON_ARG const int16_t *x, TENON_ARG int32_t n,
    TENON_ARG int32_t next, TENON_ARG int32_t zero, TENON_ARG int64_t *sums) {
  __asm__(
      "push {r4-r11, lr}\n"
      "ldr r12, [sp, #40]\n"
      "add r3, r0, r3\n"
      "ldm r12, {r5-r8}\n"
      "subs r2, #4\n"
      "blt 2f\n"
      "1:\n"
      "ldr r4, [r1], #4\n"
      "ldr r9, [r1], #4\n"
      "pkhbt r10, r4, r9, lsl #16\n"
      "pkhtb r11, r9, r4, asr #16\n"
      "ldr r4, [r0], #4\n"
      "sxtb16 r9, r4\n"
      "sxtb16 r4, r4, ror #8\n"
      "smlald r5, r6, r9, r10\n"
      "smlald r5, r6, r4, r11\n"
      "ldr r4, [r3], #4\n"
      "sxtb16 r9, r4\n"
      "sxtb16 r4, r4, ror #8\n"
      "smlald r7, r8, r9, r10\n"
      "smlald r7, r8, r4, r11\n"
      "subs r2, #4\n"
      "bge 1b\n"
      "2:\n"
      "adds r2, #4\n"
      "beq 4f\n"
      "3:\n"
      "ldrsh r4, [r1], #2\n"
      "ldrsb r9, [r0], #1\n"
      "smlal r5, r6, r4, r9\n"
      "ldrsb r9, [r3], #1\n"
      "smlal r7, r8, r4, r9\n"
      "subs r2, #1\n"
      "bne 3b\n"
      "4:\n"
      "stm r12, {r5-r8}\n"
      "pop {r4-r11, pc}\n");
}

TENON_LSTM_TFLM(tenon_k_lstm_tflm_s16_dsp, int16_t, int64_t,
                lstm_tflm_s16_dsp_sums, tenon_lstm_tflm_words, INT16_MIN,
                INT16_MAX)
