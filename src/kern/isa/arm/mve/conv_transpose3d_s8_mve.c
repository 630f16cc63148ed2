// conv_transpose3d_s8_mve.c - quantised transposed convolution, four channels
// at a time, by products of eight int16. Bit for bit what
// conv_transpose3d_s8_ref.c computes.
#include "kern/isa/arm/mve/mve.h"
#include "kern/tile/conv_transpose.h"

TENON_ASM void conv_transpose3d_s8_mve_four(TENON_ARG const int8_t *x,
                                            TENON_ARG const int8_t *w,
                                            TENON_ARG ptrdiff_t size,
                                            TENON_ARG ptrdiff_t depth,
                                            TENON_ARG int32_t zero,
                                            TENON_ARG uint32_t *sums) {
  __asm__(
      "push {r4-r11, lr}\n"
      "mov lr, r3\n"
      "add r5, r1, r2\n"
      "add r7, r5, r2\n"
      "add r3, r7, r2\n"
      "ldrd r9, r11, [sp, #36]\n"
      "ldrd r4, r6, [r11]\n"
      "ldrd r8, r10, [r11, #8]\n"
      "wlstp.16 lr, lr, 2f\n"
      "1:\n"
      "vldrb.s16 q0, [r0], #8\n"
      "vldrb.s16 q1, [r1], #8\n"
      "vsub.i16 q0, q0, r9\n"
      "vmladava.s16 r4, q0, q1\n"
      "vldrb.s16 q1, [r5], #8\n"
      "vmladava.s16 r6, q0, q1\n"
      "vldrb.s16 q1, [r7], #8\n"
      "vmladava.s16 r8, q0, q1\n"
      "vldrb.s16 q1, [r3], #8\n"
      "vmladava.s16 r10, q0, q1\n"
      "letp lr, 1b\n"
      "2:\n"
      "strd r4, r6, [r11]\n"
      "strd r8, r10, [r11, #8]\n"
      "pop {r4-r11, pc}\n");
}

TENON_KERNEL_RANGE(tenon_k_conv_transpose3d_s8_mve) {
  return tenon_conv_transpose_fours(c, begin, end,
                                    conv_transpose3d_s8_mve_four);
}
