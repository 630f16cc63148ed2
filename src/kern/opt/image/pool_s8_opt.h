// kern/opt/image/pool_s8_opt.h - means and maxima of stored bytes over a
// window, registers of channels at a time.
//
// A mean is a quotient of integers that floats hold exactly, so its float is
// rounded to an integer only where it is one: the distance to the next one is
// at least 1 / count, and half a unit of the quotient is less. Windows that are
// too large for that are left to the reference kernel.
#ifndef TENON_KERN_OPT_POOL_S8_OPT_H
#define TENON_KERN_OPT_POOL_S8_OPT_H

#include "kern/op/pooling.h"
#include "kern/opt/vectors.h"

// One pixel of the result: the first element of its window, and how many are
// below one another and side by side.
typedef struct tenon_pool_at {
  const int8_t *first;
  ptrdiff_t down, right;
  ptrdiff_t row, pixel;  // bytes to the next
} tenon_pool_at;

TENON_FLAT void tenon_avg_pool_s8_put(tenon_vi sum, const tenon_pool_s8 *m,
                                      int32_t count, int8_t *y) {
  const tenon_vi sign = sum >> 31;
  const tenon_vi half = (tenon_vi_splat(count / 2) ^ sign) - sign;
  const tenon_vf quotient = __builtin_convertvector(sum + half, tenon_vf) /
                            tenon_vf_splat((float)(count ? count : 1));
  const tenon_vi lo = tenon_vi_splat(m->lo), hi = tenon_vi_splat(m->hi);
  tenon_vi mean = __builtin_convertvector(quotient, tenon_vi);
  mean = tenon_vi_pick(mean < lo, lo, mean);
  mean = tenon_vi_pick(mean > hi, hi, mean);
  *(tenon_vb_at *)y = __builtin_convertvector(mean, tenon_vb);
}

// `n` registers of channels.
TENON_FLAT void tenon_avg_pool_s8_lanes(const int n, const tenon_pool_at *w,
                                        const tenon_pool_s8 *m, ptrdiff_t i,
                                        int8_t *y) {
  tenon_vi sum[4];
  TENON_UNROLL
  for (int k = 0; k < n; ++k)
    sum[k] = (tenon_vi){0};
  for (ptrdiff_t ky = 0; ky < w->down; ++ky) {
    const int8_t *p = w->first + ky * w->row + i;
    for (ptrdiff_t kx = 0; kx < w->right; ++kx, p += w->pixel) {
      TENON_UNROLL
      for (int k = 0; k < n; ++k)
        sum[k] += tenon_vi_widen(p + k * TENON_VL);
    }
  }
  TENON_UNROLL
  for (int k = 0; k < n; ++k)
    tenon_avg_pool_s8_put(sum[k], m, (int32_t)(w->down * w->right),
                          y + i + k * TENON_VL);
}

// Where channels are left over, the last register begins further in front.
TENON_APART void tenon_avg_pool_s8_pixel(const tenon_pool_at *w,
                                         const tenon_pool_s8 *m,
                                         ptrdiff_t channels, int8_t *y) {
  ptrdiff_t i = 0;
  for (; i + 4 * TENON_VL <= channels; i += 4 * TENON_VL)
    tenon_avg_pool_s8_lanes(4, w, m, i, y);
  for (; i + TENON_VL <= channels; i += TENON_VL)
    tenon_avg_pool_s8_lanes(1, w, m, i, y);
  if (i < channels && i > 0) {
    tenon_avg_pool_s8_lanes(1, w, m, channels - TENON_VL, y);
    return;
  }
  for (; i < channels; ++i) {
    int32_t sum = 0;
    for (ptrdiff_t ky = 0; ky < w->down; ++ky)
      for (ptrdiff_t kx = 0; kx < w->right; ++kx)
        sum += w->first[ky * w->row + kx * w->pixel + i];
    y[i] = (int8_t)tenon_clamp_s32(
        tenon_pool_mean(sum, (int32_t)(w->down * w->right)), m->lo, m->hi);
  }
}

// Bytes of a whole register, or of a quarter. What is less than `lo` becomes
// that in the end, so it is what the maximum starts from.
#define TENON_MAX_POOL_S8(name, type, type_at)                         \
  TENON_FLAT void name(const tenon_pool_at *w, const tenon_pool_s8 *m, \
                       ptrdiff_t i, int8_t *y) {                       \
    const type hi = (type){0} + (int8_t)m->hi;                         \
    type most = (type){0} + (int8_t)m->lo, more;                       \
    for (ptrdiff_t ky = 0; ky < w->down; ++ky) {                       \
      const int8_t *p = w->first + ky * w->row + i;                    \
      for (ptrdiff_t kx = 0; kx < w->right; ++kx, p += w->pixel) {     \
        const type x = *(const type_at *)p;                            \
        more = x > most;                                               \
        most = (x & more) | (most & ~more);                            \
      }                                                                \
    }                                                                  \
    more = most > hi;                                                  \
    *(type_at *)(y + i) = (hi & more) | (most & ~more);                \
  }
typedef int8_t tenon_vs_at
    __attribute__((vector_size(TENON_VB), aligned(1), may_alias));
TENON_MAX_POOL_S8(tenon_max_pool_s8_whole, tenon_vs, tenon_vs_at)
TENON_MAX_POOL_S8(tenon_max_pool_s8_quarter, tenon_vb, tenon_vb_at)

TENON_APART void tenon_max_pool_s8_pixel(const tenon_pool_at *w,
                                         const tenon_pool_s8 *m,
                                         ptrdiff_t channels, int8_t *y) {
  ptrdiff_t i = 0;
  for (; i + TENON_VB <= channels; i += TENON_VB)
    tenon_max_pool_s8_whole(w, m, i, y);
  for (; i + TENON_VL <= channels; i += TENON_VL)
    tenon_max_pool_s8_quarter(w, m, i, y);
  if (i < channels && i > 0) {
    tenon_max_pool_s8_quarter(w, m, channels - TENON_VL, y);
    return;
  }
  for (; i < channels; ++i) {
    int32_t most = INT8_MIN;
    for (ptrdiff_t ky = 0; ky < w->down; ++ky) {
      for (ptrdiff_t kx = 0; kx < w->right; ++kx) {
        const int32_t x = w->first[ky * w->row + kx * w->pixel + i];
        most = x > most ? x : most;
      }
    }
    y[i] = (int8_t)tenon_clamp_s32(most, m->lo, m->hi);
  }
}

TENON_FLAT tenon_status tenon_pool_s8_run(
    const tenon_call *c, int64_t begin, int64_t end,
    void (*const pixel)(const tenon_pool_at *, const tenon_pool_s8 *, ptrdiff_t,
                        int8_t *)) {
  const tenon_pool_s8 *limits = (const tenon_pool_s8 *)c->packed;
  const tenon_window g = tenon_pool_window(c);
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const int8_t *image =
        (const int8_t *)c->in[0].data + row / g.out_h * g.h * g.w * g.c;
    int8_t *y = (int8_t *)c->out[0].data + row * g.out_w * g.c;
    const tenon_taps ty = tenon_window_rows(&g, row % g.out_h);
    for (ptrdiff_t ox = 0; ox < g.out_w; ++ox, y += g.c) {
      const tenon_taps tx = tenon_window_columns(&g, ox);
      tenon_pool_at at = {image, ty.end - ty.begin, tx.end - tx.begin,
                          g.w * g.c, g.c};
      if (at.down <= 0 || at.right <= 0)
        at.down = at.right = 0;
      else
        at.first +=
            ((ty.at + ty.begin) * g.w + tx.at + tx.begin) * (ptrdiff_t)g.c;
      pixel(&at, limits, g.c, y);
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_POOL_S8_OPT_H
