// lstm_integer_mve.c - a layer of LSTM in integers, 16 products at a time. Bit
// for bit what lstm_integer_ref.c computes.
#include "kern/isa/arm/mve/mve.h"
#include "kern/product/lstm_integer_layer.h"

TENON_ASM int32_t lstm_integer_mve_sum(TENON_ARG const int8_t *w,
                                       TENON_ARG const int8_t *x,
                                       TENON_ARG int32_t n,
                                       TENON_ARG int32_t from) {
  __asm__(
      "push {r4, lr}\n"
      "mov r12, r3\n"
      "wlstp.8 lr, r2, 2f\n"
      "1:\n"
      "vldrb.8 q0, [r0], #16\n"
      "vldrb.8 q1, [r1], #16\n"
      "vmladava.s8 r12, q0, q1\n"
      "letp lr, 1b\n"
      "2:\n"
      "mov r0, r12\n"
      "pop {r4, pc}\n");
}

TENON_KERNEL_RANGE(tenon_k_lstm_integer_mve) {
  return tenon_lstm_integer_layer(c, begin, end, lstm_integer_mve_sum);
}
