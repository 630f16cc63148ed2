// resize_bilinear_s8_mve.c - quantised images of another size, four channels at
// a time. Bit for bit what resize_bilinear_s8_ref.c computes.
#include "kern/isa/arm/mve/mve.h"
#include "kern/isa/arm/resize_any.h"

// VRSHR takes ties up, of a number that is one less if it is negative.
TENON_ASM void resize_bilinear_s8_mve_pixel(TENON_ARG const int8_t *const *from,
                                            TENON_ARG const int32_t *weights,
                                            TENON_ARG int8_t *y,
                                            TENON_ARG int32_t n) {
  __asm__(
      "push {r4-r11, lr}\n"
      "dlstp.32 lr, r3\n"
      "ldm r1, {r8-r11}\n"
      "ldm r0, {r3-r6}\n"
      "1:\n"
      "vldrb.s32 q0, [r3], #4\n"
      "vmul.i32 q0, q0, r8\n"
      "vldrb.s32 q1, [r4], #4\n"
      "vmla.s32 q0, q1, r9\n"
      "vldrb.s32 q1, [r5], #4\n"
      "vmla.s32 q0, q1, r10\n"
      "vldrb.s32 q1, [r6], #4\n"
      "vmla.s32 q0, q1, r11\n"
      "vshr.s32 q1, q0, #31\n"
      "vadd.i32 q0, q0, q1\n"
      "vrshr.s32 q0, q0, #20\n"
      "vstrb.32 q0, [r2], #4\n"
      "letp lr, 1b\n"
      "pop {r4-r11, pc}\n");
}

TENON_KERNEL_RANGE(tenon_k_resize_bilinear_s8_mve) {
  tenon_arm_resize(c, (int32_t)begin, (int32_t)end,
                   resize_bilinear_s8_mve_pixel);
  return TENON_OK;
}
