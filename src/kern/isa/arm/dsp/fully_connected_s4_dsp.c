// fully_connected_s4_dsp.c - quantised product with weights that fit into 4
// bits and lie in flash so: as fully_connected_any_s8_dsp.c, but they are
// widened between loads and products. Bit for bit what fully_connected_s8_ref.c
// computes.
#include "kern/isa/arm/dsp/matrix_dsp.h"
#include "kern/isa/arm/matrix_any.h"

// The sums of four channels without their biases.
TENON_ASM void fully_connected_s4_dsp_sums(TENON_ARG const int8_t *w,
                                           TENON_ARG const int8_t *x,
                                           TENON_ARG int32_t *sums,
                                           TENON_ARG int32_t k) {
  __asm__(
      "push {r4-r11, lr}\n"
      "push {r2}\n"
      "add r3, r1, r3\n"
      "mov r2, r1\n" TENON_MATRIX_DSP_ENTRY_OF("104")
      "push {r4}\n"
      "mov r2, r3\n"
      "mov r3, #0\n"
      "mov r4, #0\n"
      "mov r5, #0\n"
      "mov r6, #0\n" TENON_MATRIX_DSP_ALL_OF(TENON_MATRIX_DSP_FOUR_NARROW, "0")
      "ldr lr, [sp, #4]\n"
      "stm lr, {r3, r4, r5, r6}\n"
      "add sp, #8\n"
      "pop {r4-r11, pc}\n");
}

TENON_KERNEL_RANGE(tenon_k_fully_connected_s4_dsp) {
  return tenon_matrix_any(c, begin, end, 2, 4, tenon_matrix_dsp_row,
                          fully_connected_s4_dsp_sums);
}
