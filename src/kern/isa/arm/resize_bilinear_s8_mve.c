// resize_bilinear_s8_mve.c - quantised images of another size, four channels at
// a time. Bit for bit what resize_bilinear_s8_ref.c computes.
#include "kern/isa/arm/mve.h"
#include "kern/resize.h"

// `n` channels, one at least, of four pixels by their weights. VRSHR takes ties
// up, of a number that is one less if it is negative.
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
  const tenon_resize_attrs *a = (const tenon_resize_attrs *)c->attrs;
  const int32_t *from = c->in[0].dims, *to = c->out[0].dims;
  const int32_t n = from[3], line = from[2] * n;
  int8_t *y = (int8_t *)c->out[0].data + (int32_t)begin * to[2] * n;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int8_t *x =
        (const int8_t *)c->in[0].data + row / to[1] * from[1] * line;
    const tenon_resize_place v =
        tenon_resize_at(a, from[1], to[1], row % to[1]);
    const int8_t *up = x + v.low * line, *down = x + v.high * line;
    for (int32_t ox = 0; ox < to[2]; ++ox, y += n) {
      const tenon_resize_place h = tenon_resize_at(a, from[2], to[2], ox);
      const int8_t *const four[] = {up + h.low * n, down + h.low * n,
                                    up + h.high * n, down + h.high * n};
      const int32_t weights[] = {(1024 - v.part) * (1024 - h.part),
                                 v.part * (1024 - h.part),
                                 (1024 - v.part) * h.part, v.part * h.part};
      resize_bilinear_s8_mve_pixel(four, weights, y, n);
    }
  }
  return TENON_OK;
}
