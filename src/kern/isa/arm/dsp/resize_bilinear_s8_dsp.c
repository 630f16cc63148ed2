// resize_bilinear_s8_dsp.c - quantised images of another size, a channel at a
// time. Bit for bit what resize_bilinear_s8_ref.c computes.
#include "kern/isa/arm/dsp/dsp.h"
#include "kern/isa/arm/resize_any.h"

// A shift leaves in the carry what rounds ties up, and a negative number, one
// less, away from zero.
TENON_ASM void resize_bilinear_s8_dsp_pixel(TENON_ARG const int8_t *const *from,
                                            TENON_ARG const int32_t *weights,
                                            TENON_ARG int8_t *y,
                                            TENON_ARG int32_t n) {
  __asm__(
      "push {r4-r11, lr}\n"
      "ldm r1, {r8-r11}\n"
      "ldm r0, {r4-r7}\n"
      "add r3, r2\n"
      "1:\n"
      "ldrsb r0, [r4], #1\n"
      "ldrsb r1, [r5], #1\n"
      "ldrsb r12, [r6], #1\n"
      "ldrsb lr, [r7], #1\n"
      "mul r0, r0, r8\n"
      "mla r0, r1, r9, r0\n"
      "mla r0, r12, r10, r0\n"
      "mla r0, lr, r11, r0\n"
      "add r0, r0, r0, asr #31\n"
      "asrs r0, r0, #20\n"
      "adc r0, r0, #0\n"
      "strb r0, [r2], #1\n"
      "cmp r2, r3\n"
      "bne 1b\n"
      "pop {r4-r11, pc}\n");
}

TENON_KERNEL_RANGE(tenon_k_resize_bilinear_s8_dsp) {
  tenon_arm_resize(c, (int32_t)begin, (int32_t)end,
                   resize_bilinear_s8_dsp_pixel);
  return TENON_OK;
}
