// fully_connected_s4_mve.c - quantised product with weights that fit into 4
// bits and lie in flash so: they are widened between loads and products. Bit
// for bit what fully_connected_s8_ref.c computes.
#include "kern/isa/arm/matrix_any.h"
#include "kern/isa/arm/mve/matrix_mve.h"

// The sums of four channels without their biases.
TENON_ASM void fully_connected_s4_mve_sums(TENON_ARG const int8_t *w,
                                           TENON_ARG const int8_t *x,
                                           TENON_ARG int32_t *sums,
                                           TENON_ARG int32_t k) {
  __asm__(
      "push {r4-r11, lr}\n"
      "lsr r12, r3, #4\n"
      "sub r12, r12, #1\n" TENON_MATRIX_MVE_ALL_OF(TENON_MATRIX_MVE_CHUNK_NARROW)
      "strd r4, r6, [r2]\n"
      "strd r8, r10, [r2, #8]\n"
      "pop {r4-r11, pc}\n");
}

TENON_KERNEL_RANGE(tenon_k_fully_connected_s4_mve) {
  return tenon_matrix_any(c, begin, end, 2, 0, tenon_matrix_mve_row,
                          fully_connected_s4_mve_sums);
}
