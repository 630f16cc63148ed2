// kern/isa/arm/resize_any.h - quantised images of another size, a pixel at a
// time.
#ifndef TENON_KERN_ISA_ARM_RESIZE_ANY_H
#define TENON_KERN_ISA_ARM_RESIZE_ANY_H

#include "kern/isa/arm/arm_packed.h"
#include "kern/op/resize.h"

// `n` channels, one at least, of four pixels by their weights.
typedef void tenon_arm_pixel(const int8_t *const *from, const int32_t *weights,
                             int8_t *y, int32_t n);

static inline __attribute__((always_inline, unused)) void tenon_arm_resize(
    const tenon_call *c, int32_t begin, int32_t end, tenon_arm_pixel *pixel) {
  const tenon_resize_attrs *a = (const tenon_resize_attrs *)c->attrs;
  const int32_t *from = c->in[0].dims, *to = c->out[0].dims;
  const int32_t n = from[3], line = from[2] * n;
  int8_t *y = (int8_t *)c->out[0].data + begin * to[2] * n;
  for (int32_t row = begin; row < end; ++row) {
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
      pixel(four, weights, y, n);
    }
  }
}

#endif  // TENON_KERN_ISA_ARM_RESIZE_ANY_H
