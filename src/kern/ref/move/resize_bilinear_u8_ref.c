// resize_bilinear_u8_ref.c - images of unsigned bytes of another size, as
// LiteRT's reference RESIZE_BILINEAR of that type: in floats, unlike those of
// signed bytes.
#include <math.h>

#include "kern/op/resize.h"

// The two elements that one of the result lies between, and how much of the
// second counts.
typedef struct resize_bilinear_u8_ref_place {
  ptrdiff_t low, high;
  float part;
} resize_bilinear_u8_ref_place;

static resize_bilinear_u8_ref_place resize_bilinear_u8_ref_at(
    const tenon_resize_attrs *a, int32_t from, int32_t to, int32_t i) {
  const bool align = a->align_corners && to > 1;
  const float scale =
      align ? (float)(from - 1) / (float)(to - 1) : (float)from / (float)to;
  const float at = a->half_pixel_centers ? ((float)i + 0.5f) * scale - 0.5f
                                         : (float)i * scale;
  const float low = floorf(at), high = ceilf(at);
  resize_bilinear_u8_ref_place p;
  p.low = low > 0 ? (ptrdiff_t)low : 0;
  p.high = high < (float)(from - 1) ? (ptrdiff_t)high : from - 1;
  p.part = at - (float)p.low;
  return p;
}

TENON_KERNEL_RANGE(tenon_k_resize_bilinear_u8_ref) {
  const tenon_resize_attrs *a = (const tenon_resize_attrs *)c->attrs;
  const int32_t *from = c->in[0].dims, *to = c->out[0].dims;
  const ptrdiff_t width = from[2], n = from[3];
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const uint8_t *x =
        (const uint8_t *)c->in[0].data + row / to[1] * from[1] * width * n;
    uint8_t *y = (uint8_t *)c->out[0].data + row * to[2] * n;
    const resize_bilinear_u8_ref_place v =
        resize_bilinear_u8_ref_at(a, from[1], to[1], (int32_t)(row % to[1]));
    const uint8_t *up = x + v.low * width * n, *down = x + v.high * width * n;
    for (int32_t ox = 0; ox < to[2]; ++ox) {
      const resize_bilinear_u8_ref_place h =
          resize_bilinear_u8_ref_at(a, from[2], to[2], ox);
      for (ptrdiff_t i = 0; i < n; ++i) {
        const float sum =
            (float)up[h.low * n + i] * (1 - v.part) * (1 - h.part) +
            (float)down[h.low * n + i] * v.part * (1 - h.part) +
            (float)up[h.high * n + i] * (1 - v.part) * h.part +
            (float)down[h.high * n + i] * v.part * h.part;
        *y++ = (uint8_t)(sum + 0.5f);
      }
    }
  }
  return TENON_OK;
}
