// lstm_tflm_s8_dsp.c - a layer of LSTM as TFLite Micro's, 8 bits outside: two
// rows and four products at a time. Bit for bit what lstm_tflm_s8_ref.c
// computes.
#include "kern/isa/arm/dsp/dsp.h"
#include "kern/product/lstm_tflm.h"

TENON_ASM void lstm_tflm_s8_dsp_sums(
    TENON_ARG const int8_t *w, TENON_ARG const int8_t *x, TENON_ARG int32_t n,
    TENON_ARG int32_t next, TENON_ARG int32_t zero, TENON_ARG int32_t *sums) {
  __asm__(
      "push {r4-r11, lr}\n"
      "ldrd r4, r12, [sp, #36]\n"
      "rsbs r4, r4, #0\n"
      "pkhbt r4, r4, r4, lsl #16\n"
      "add r3, r0, r3\n"
      "ldrd r5, r6, [r12]\n"
      "subs r2, #4\n"
      "blt 2f\n"
      "1:\n"
      "ldr r7, [r1], #4\n"
      "sxtab16 r8, r4, r7\n"
      "sxtab16 r9, r4, r7, ror #8\n"
      "ldr r7, [r0], #4\n"
      "sxtb16 r10, r7\n"
      "sxtb16 r11, r7, ror #8\n"
      "smlad r5, r10, r8, r5\n"
      "smlad r5, r11, r9, r5\n"
      "ldr r7, [r3], #4\n"
      "sxtb16 r10, r7\n"
      "sxtb16 r11, r7, ror #8\n"
      "smlad r6, r10, r8, r6\n"
      "smlad r6, r11, r9, r6\n"
      "subs r2, #4\n"
      "bge 1b\n"
      "2:\n"
      "adds r2, #4\n"
      "beq 4f\n"
      "3:\n"
      "ldrsb r7, [r1], #1\n"
      "sxtah r7, r7, r4\n"
      "ldrsb r10, [r0], #1\n"
      "ldrsb r11, [r3], #1\n"
      "mla r5, r7, r10, r5\n"
      "mla r6, r7, r11, r6\n"
      "subs r2, #1\n"
      "bne 3b\n"
      "4:\n"
      "strd r5, r6, [r12]\n"
      "pop {r4-r11, pc}\n");
}

TENON_LSTM_TFLM(tenon_k_lstm_tflm_s8_dsp, int8_t, int32_t,
                lstm_tflm_s8_dsp_sums, tenon_lstm_tflm_bytes, -128, 127)
