// lstm_integer_dsp.c - a layer of LSTM in integers, eight products at a time.
// Bit for bit what lstm_integer_ref.c computes.
#include "kern/isa/arm/dsp/dsp.h"
#include "kern/product/lstm_integer_layer.h"

TENON_ASM void lstm_integer_dsp_sums(TENON_ARG const int8_t *w,
                                     TENON_ARG const int8_t *x,
                                     TENON_ARG int32_t n,
                                     TENON_ARG int32_t next,
                                     TENON_ARG int32_t *sums) {
  __asm__(
      "push {r4-r11, lr}\n"
      "ldr r12, [sp, #36]\n"
      "ldm r12, {r10, r11}\n"
      "add r3, r0\n"
      "subs r2, #4\n"
      "blt 2f\n"
      "1:\n"
      "ldr r4, [r1], #4\n"
      "ldr r5, [r0], #4\n"
      "ldr r6, [r3], #4\n"
      "sxtb16 r7, r4\n"
      "sxtb16 r4, r4, ror #8\n"
      "sxtb16 r8, r5\n"
      "sxtb16 r5, r5, ror #8\n"
      "smlad r10, r8, r7, r10\n"
      "smlad r10, r5, r4, r10\n"
      "sxtb16 r8, r6\n"
      "sxtb16 r6, r6, ror #8\n"
      "smlad r11, r8, r7, r11\n"
      "smlad r11, r6, r4, r11\n"
      "subs r2, #4\n"
      "bge 1b\n"
      "2:\n"
      "adds r2, #4\n"
      "beq 4f\n"
      "3:\n"
      "ldrsb r4, [r1], #1\n"
      "ldrsb r5, [r0], #1\n"
      "ldrsb r6, [r3], #1\n"
      "mla r10, r4, r5, r10\n"
      "mla r11, r4, r6, r11\n"
      "subs r2, #1\n"
      "bne 3b\n"
      "4:\n"
      "stm r12, {r10, r11}\n"
      "pop {r4-r11, pc}\n");
}

TENON_KERNEL_RANGE(tenon_k_lstm_integer_dsp) {
  return tenon_lstm_integer_layer(c, begin, end, lstm_integer_dsp_sums,
                                  tenon_lstm_plain);
}
