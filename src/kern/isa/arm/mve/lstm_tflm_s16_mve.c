// lstm_tflm_s16_mve.c - a layer of LSTM as TFLite Micro's, 16 bits outside: two
// rows and eight products at a time.
// Bit for bit what lstm_tflm_s16_ref.c computes.
#include "kern/isa/arm/mve/mve.h"
#include "kern/product/lstm_tflm.h"

TENON_ASM void lstm_tflm_s16_mve_sums(
    TENON_ARG const int8_t *w, TENON_ARG const int16_t *x, TENON_ARG int32_t n,
    TENON_ARG int32_t next, TENON_ARG int32_t zero, TENON_ARG int64_t *sums) {
  __asm__(
      "push {r4-r7, lr}\n"
      "add r3, r0, r3\n"
      "ldr r12, [sp, #24]\n"
      "ldm r12, {r4-r7}\n"
      "dlstp.16 lr, r2\n"
      "1:\n"
      "vldrh.16 q1, [r1], #16\n"
      "vldrb.s16 q0, [r0], #8\n"
      "vmlaldava.s16 r4, r5, q0, q1\n"
      "vldrb.s16 q2, [r3], #8\n"
      "vmlaldava.s16 r6, r7, q2, q1\n"
      "letp lr, 1b\n"
      "stm r12, {r4-r7}\n"
      "pop {r4-r7, pc}\n");
}

TENON_LSTM_TFLM(tenon_k_lstm_tflm_s16_mve, int16_t, int64_t,
                lstm_tflm_s16_mve_sums, tenon_lstm_tflm_words, INT16_MIN,
                INT16_MAX)
