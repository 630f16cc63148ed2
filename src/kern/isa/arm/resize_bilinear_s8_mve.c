// resize_bilinear_s8_mve.c - quantised images of another size, four channels at
// a time. Bit for bit what resize_bilinear_s8_ref.c computes.
#include "kern/isa/arm/mve.h"
#include "kern/resize.h"
#include "kern/tile/apart.h"

// `n` channels of four pixels by their weights. VRSHR takes ties up, of a
// number that is one less if it is negative.
TENON_APART void resize_bilinear_s8_mve_pixel(const int8_t *const *from,
                                              const int32_t *weights, int8_t *y,
                                              int32_t n) {
  const int8_t *p = from[0], *q = from[1], *r = from[2], *s = from[3];
  register int32_t count __asm__("lr") = n;  // it has no other register
  __asm__ volatile(
      "dlstp.32 lr, lr\n"
      "1:\n"
      "vldrb.s32 q0, [%[p]], #4\n"
      "vmul.i32 q0, q0, %[a]\n"
      "vldrb.s32 q1, [%[q]], #4\n"
      "vmla.s32 q0, q1, %[b]\n"
      "vldrb.s32 q1, [%[r]], #4\n"
      "vmla.s32 q0, q1, %[c]\n"
      "vldrb.s32 q1, [%[s]], #4\n"
      "vmla.s32 q0, q1, %[d]\n"
      "vshr.s32 q1, q0, #31\n"
      "vadd.i32 q0, q0, q1\n"
      "vrshr.s32 q0, q0, #20\n"
      "vstrb.32 q0, [%[y]], #4\n"
      "letp lr, 1b"
      : [p] "+l"(p), [q] "+l"(q), [r] "+l"(r), [s] "+l"(s), [y] "+l"(y),
        "+r"(count)
      : [a] "r"(weights[0]), [b] "r"(weights[1]), [c] "r"(weights[2]),
        [d] "r"(weights[3])
      : "q0", "q1", "memory");
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
