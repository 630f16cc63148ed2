// lstm_tflm_s8_mve.c - a layer of LSTM as TFLite Micro's, 8 bits outside: two
// rows and 16 products at a time. Bit for bit what lstm_tflm_s8_ref.c computes.
#include "kern/isa/arm/mve/mve.h"
#include "kern/product/lstm_tflm.h"

TENON_ASM void lstm_tflm_s8_mve_sums(
    TENON_ARG const int8_t *w, TENON_ARG const int8_t *x, TENON_ARG int32_t n,
    TENON_ARG int32_t next, TENON_ARG int32_t zero, TENON_ARG int32_t *sums) {
  __asm__(
      "push {r4-r10, lr}\n"
      "add r3, r0, r3\n"
      "ldrd r5, r7, [sp, #32]\n"
      "ldrd r4, r6, [r7]\n"
      "mov r8, #0\n"
      "mov r10, #0\n"
      "dlstp.8 lr, r2\n"
      "1:\n"
      "vldrb.8 q1, [r1], #16\n"
      "vldrb.8 q0, [r0], #16\n"
      "vmladava.s8 r4, q0, q1\n"
      "vaddva.s8 r8, q0\n"
      "vldrb.8 q2, [r3], #16\n"
      "vmladava.s8 r6, q2, q1\n"
      "vaddva.s8 r10, q2\n"
      "letp lr, 1b\n"
      "mls r4, r8, r5, r4\n"
      "mls r6, r10, r5, r6\n"
      "strd r4, r6, [r7]\n"
      "pop {r4-r10, pc}\n");
}

TENON_LSTM_TFLM(tenon_k_lstm_tflm_s8_mve, int8_t, int32_t,
                lstm_tflm_s8_mve_sums, tenon_lstm_tflm_bytes, -128, 127)
