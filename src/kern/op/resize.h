// kern/op/resize.h - core::resize_bilinear: quantised images of another size.
// Places and weights have 10 bits behind the point, sums 20, rounded halves
// away from zero. Items are rows of the result.
#ifndef TENON_KERN_RESIZE_H
#define TENON_KERN_RESIZE_H

#include "tenon/tensor.h"

typedef struct tenon_resize_attrs {
  tenon_ints size;  // height, width
  bool align_corners, half_pixel_centers;
} tenon_resize_attrs;

// The two elements that one of the result lies between, and what of 1024 the
// second counts.
typedef struct tenon_resize_place {
  ptrdiff_t low, high;
  int32_t part;
} tenon_resize_place;

TENON_INLINE tenon_resize_place tenon_resize_at(const tenon_resize_attrs *a,
                                                int32_t from, int32_t to,
                                                int32_t i) {
  const bool align = a->align_corners && to > 1;
  const int32_t n = align ? from - 1 : from, d = align ? to - 1 : to;
  const int32_t scale = (1024 * n + d / 2) / d;
  int32_t at = i * scale, high;
  tenon_resize_place p;
  if (a->half_pixel_centers) at += scale / 2 - 512;
  const int32_t low = at / 1024 > 0 ? at / 1024 : 0;
  // Where an image grows a thousandfold the rounded scale leads beyond its end.
  p.low = low < from - 1 ? low : from - 1;
  high = (at + 1023) / 1024;
  p.high = high < from - 1 ? high : from - 1;
  p.part = at - 1024 * low;
  return p;
}

// Of elements T, with sums in type Sum.
#define TENON_RESIZE_BILINEAR_STORED(name, T, Sum)                           \
  TENON_KERNEL_RANGE(name) {                                                 \
    const tenon_resize_attrs *a = (const tenon_resize_attrs *)c->attrs;      \
    const int32_t *from = c->in[0].dims, *to = c->out[0].dims;               \
    const ptrdiff_t width = from[2], n = from[3];                            \
    for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {    \
      const T *x =                                                           \
          (const T *)c->in[0].data + row / to[1] * from[1] * width * n;      \
      T *y = (T *)c->out[0].data + row * to[2] * n;                          \
      const tenon_resize_place v =                                           \
          tenon_resize_at(a, from[1], to[1], (int32_t)(row % to[1]));        \
      const T *up = x + v.low * width * n, *down = x + v.high * width * n;   \
      for (int32_t ox = 0; ox < to[2]; ++ox) {                               \
        const tenon_resize_place h = tenon_resize_at(a, from[2], to[2], ox); \
        const ptrdiff_t left = h.low * n, right = h.high * n;                \
        const int32_t up_left = (1024 - v.part) * (1024 - h.part);           \
        const int32_t up_right = (1024 - v.part) * h.part;                   \
        const int32_t down_left = v.part * (1024 - h.part);                  \
        const int32_t down_right = v.part * h.part;                          \
        for (ptrdiff_t i = 0; i < n; ++i) {                                  \
          Sum sum = (Sum)up[left + i] * up_left +                            \
                    (Sum)down[left + i] * down_left +                        \
                    (Sum)up[right + i] * up_right +                          \
                    (Sum)down[right + i] * down_right;                       \
          *y++ = (T)((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));  \
        }                                                                    \
      }                                                                      \
    }                                                                        \
    return TENON_OK;                                                         \
  }

#endif  // TENON_KERN_RESIZE_H
