// kern/tile/conv_transpose.h - quantised transposed convolution, four channels
// at a time, or as many as are left of a group: `four` adds products of `depth`
// numbers, one at least, less `zero`, to four sums, whose rows of weights are
// `size` apart.
#ifndef TENON_KERN_TILE_CONV_TRANSPOSE_H
#define TENON_KERN_TILE_CONV_TRANSPOSE_H

#include "kern/product/requant.h"
#include "kern/product/volume.h"

typedef void tenon_conv_transpose_four(const int8_t *x, const int8_t *w,
                                       ptrdiff_t size, ptrdiff_t depth,
                                       int32_t zero, uint32_t *sums);

// Channels `oc` and three behind it, or it alone, of an element of the result.
TENON_INLINE void tenon_conv_transpose_sums(const tenon_call *c,
                                            const tenon_volume *v, int32_t zero,
                                            ptrdiff_t ox, ptrdiff_t oc,
                                            ptrdiff_t some,
                                            tenon_conv_transpose_four *four,
                                            uint32_t *sums) {
  const ptrdiff_t size = v->kd * v->kh * v->kw * v->depth;
  const int8_t *from = (const int8_t *)c->in[0].data + oc / v->group * v->depth;
  const int8_t *w = (const int8_t *)c->in[1].data + oc * size;
  for (ptrdiff_t kz = 0; kz < v->kd; ++kz) {
    const ptrdiff_t z = tenon_volume_source(c, 0, v->z, kz);
    for (ptrdiff_t ky = 0; ky < v->kh; ++ky) {
      const ptrdiff_t y = tenon_volume_source(c, 1, v->y, ky);
      if (z < 0 || y < 0) {
        w += v->kw * v->depth;
        continue;
      }
      for (ptrdiff_t kx = 0; kx < v->kw; ++kx, w += v->depth) {
        const ptrdiff_t x = tenon_volume_source(c, 2, ox, kx);
        if (x < 0) continue;
        const int8_t *p = from + tenon_volume_at(v, z, y, x);
        if (some == 4) {
          four(p, w, size, v->depth, zero, sums);
        } else {
          for (ptrdiff_t i = 0; i < v->depth; ++i)
            sums[0] += (uint32_t)((p[i] - zero) * w[i]);
        }
      }
    }
  }
}

TENON_INLINE tenon_status
tenon_conv_transpose_fours(const tenon_call *c, int64_t begin, int64_t end,
                           tenon_conv_transpose_four *four) {
  const tenon_requant *r = (const tenon_requant *)c->packed;
  const int32_t *bias = (const int32_t *)c->in[2].data;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const tenon_volume v = tenon_volume_of(c, row);
    int8_t *y = (int8_t *)c->out[0].data + row * v.out_w * v.out_c;
    for (ptrdiff_t ox = 0; ox < v.out_w; ++ox) {
      for (ptrdiff_t oc = 0, some; oc < v.out_c; oc += some) {
        uint32_t sums[4] = {0, 0, 0, 0};
        some = oc % v.group + 4 > v.group || v.depth == 0 ? 1 : 4;
        for (ptrdiff_t j = 0; j < some && bias; ++j)
          sums[j] = (uint32_t)bias[oc + j];
        tenon_conv_transpose_sums(c, &v, r->x_zero, ox, oc, some, four, sums);
        for (ptrdiff_t j = 0; j < some; ++j)
          *y++ = tenon_requant_s8_twice(r, (int32_t)sums[j], oc + j);
      }
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_TILE_CONV_TRANSPOSE_H
