// kern/tile/matrix.h - quantised product, four channels at a time, or as many
// as are left. Bit for bit what fully_connected_s8_ref.c computes.
//
// Packed: a tenon_requant, then a bias for each channel that has the share of
// the zero point. Neither unrolled nor inlined: see kern/tile/two_by_two.h.
#ifndef TENON_KERN_TILE_MATRIX_H
#define TENON_KERN_TILE_MATRIX_H

#include "kern/product/requant.h"
#include "kern/tile/apart.h"
#include "tenon/tensor.h"

// Of one element at least.
TENON_APART void tenon_matrix_four(const int8_t *x, const int8_t *w0,
                                   ptrdiff_t depth, uint32_t *sums) {
  const int8_t *w1 = w0 + depth, *w2 = w1 + depth, *w3 = w2 + depth;
  const int8_t *const end = x + depth;
  uint32_t a = sums[0], b = sums[1], d = sums[2], e = sums[3];
  do {
    const int32_t v = *x++, v0 = *w0++, v1 = *w1++, v2 = *w2++, v3 = *w3++;
    a += (uint32_t)(v * v0);
    b += (uint32_t)(v * v1);
    d += (uint32_t)(v * v2);
    e += (uint32_t)(v * v3);
  } while (x != end);
  sums[0] = a, sums[1] = b, sums[2] = d, sums[3] = e;
}

// A kernel whose sums are scaled by one of kern/num/fixed.h, which a macro gets
// inlined at -Os, too.
#define TENON_MATRIX_BY_FOUR(name, scale)                                    \
  TENON_KERNEL_RANGE(name) {                                                 \
    const tenon_requant *r = (const tenon_requant *)c->packed;               \
    const int32_t *mult = (const int32_t *)(r + 1),                          \
                  *shift = mult + r->channels;                               \
    const int32_t *bias = shift + r->channels;                               \
    const ptrdiff_t n = c->in[1].dims[0], depth = c->in[1].dims[1];          \
    for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {    \
      const int8_t *x = (const int8_t *)c->in[0].data + row * depth;         \
      const int8_t *w = (const int8_t *)c->in[1].data;                       \
      int8_t *y = (int8_t *)c->out[0].data + row * n;                        \
      for (ptrdiff_t i = 0; i < n;) {                                        \
        const ptrdiff_t some = n - i < 4 || depth == 0 ? 1 : 4;              \
        uint32_t sums[4] = {0, 0, 0, 0};                                     \
        for (ptrdiff_t j = 0; j < some; ++j)                                 \
          sums[j] = (uint32_t)bias[i + j];                                   \
        if (some == 4) {                                                     \
          tenon_matrix_four(x, w, depth, sums);                              \
        } else {                                                             \
          for (ptrdiff_t k = 0; k < depth; ++k)                              \
            sums[0] += (uint32_t)(x[k] * w[k]);                              \
        }                                                                    \
        for (ptrdiff_t j = 0; j < some; ++j, ++i) {                          \
          const ptrdiff_t k = r->channels == 1 ? 0 : i;                      \
          const int32_t v = scale((int32_t)sums[j], mult[k], shift[k]);      \
          y[i] = (int8_t)tenon_clamp_s32(tenon_add_s32(v, r->y_zero), r->lo, \
                                         r->hi);                             \
        }                                                                    \
        w += some * depth;                                                   \
      }                                                                      \
    }                                                                        \
    return TENON_OK;                                                         \
  }

#endif  // TENON_KERN_TILE_MATRIX_H
