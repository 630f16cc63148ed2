// lstm_integer_dsp.c - a layer of LSTM in integers, four products at a time.
// Bit for bit what lstm_integer_ref.c computes.
#include "kern/isa/arm/dsp/dsp.h"
#include "kern/product/lstm_integer_layer.h"

TENON_ASM int32_t lstm_integer_dsp_sum(TENON_ARG const int8_t *w,
                                       TENON_ARG const int8_t *x,
                                       TENON_ARG int32_t n,
                                       TENON_ARG int32_t from) {
  __asm__(
      "push {r4-r7}\n"
      "subs r2, #4\n"
      "blt 2f\n"
      "1:\n"
      "ldr r4, [r0], #4\n"
      "ldr r5, [r1], #4\n"
      "sxtb16 r6, r4\n"
      "sxtb16 r7, r5\n"
      "sxtb16 r4, r4, ror #8\n"
      "sxtb16 r5, r5, ror #8\n"
      "smlad r3, r6, r7, r3\n"
      "smlad r3, r4, r5, r3\n"
      "subs r2, #4\n"
      "bge 1b\n"
      "2:\n"
      "adds r2, #4\n"
      "beq 4f\n"
      "3:\n"
      "ldrsb r4, [r0], #1\n"
      "ldrsb r5, [r1], #1\n"
      "mla r3, r4, r5, r3\n"
      "subs r2, #1\n"
      "bne 3b\n"
      "4:\n"
      "mov r0, r3\n"
      "pop {r4-r7}\n"
      "bx lr\n");
}

TENON_KERNEL_RANGE(tenon_k_lstm_integer_dsp) {
  return tenon_lstm_integer_layer(c, begin, end, lstm_integer_dsp_sum);
}
