// kern/opt/image/pool_stored_opt.h - means and maxima of stored integers of one
// or two bytes over a window, registers of channels at a time.
//
// A mean is a quotient of integers that floats hold exactly, so its float is
// rounded to an integer only where it is one: the distance to the next one is
// at least 1 / count, and half a unit of the quotient is less. Windows that are
// too large for that are left to the reference kernel.
#ifndef TENON_KERN_OPT_POOL_STORED_OPT_H
#define TENON_KERN_OPT_POOL_STORED_OPT_H

#include "kern/op/pooling.h"
#include "kern/opt/words.h"

// One pixel of the result: the first element of its window, and how many are
// below one another and side by side.
typedef struct tenon_pool_at {
  const char *first;
  ptrdiff_t down, right;
  ptrdiff_t row, pixel;  // bytes to the next
} tenon_pool_at;

TENON_FLAT void tenon_avg_pool_put(const int size, tenon_vi sum,
                                   const tenon_pool_s8 *m, int32_t count,
                                   char *y) {
  const tenon_vi sign = sum >> 31;
  const tenon_vi half = (tenon_vi_splat(count / 2) ^ sign) - sign;
  const tenon_vf quotient = __builtin_convertvector(sum + half, tenon_vf) /
                            tenon_vf_splat((float)(count ? count : 1));
  const tenon_vi lo = tenon_vi_splat(m->lo), hi = tenon_vi_splat(m->hi);
  tenon_vi mean = __builtin_convertvector(quotient, tenon_vi);
  mean = tenon_vi_pick(mean < lo, lo, mean);
  mean = tenon_vi_pick(mean > hi, hi, mean);
  tenon_stored_store(size, y, mean);
}

// `n` registers of channels, at byte i.
TENON_FLAT void tenon_avg_pool_lanes(const int size, const int n,
                                     const tenon_pool_at *w,
                                     const tenon_pool_s8 *m, ptrdiff_t i,
                                     char *y) {
  tenon_vi sum[4];
  TENON_UNROLL
  for (int k = 0; k < n; ++k)
    sum[k] = (tenon_vi){0};
  for (ptrdiff_t ky = 0; ky < w->down; ++ky) {
    const char *p = w->first + ky * w->row + i;
    for (ptrdiff_t kx = 0; kx < w->right; ++kx, p += w->pixel) {
      TENON_UNROLL
      for (int k = 0; k < n; ++k)
        sum[k] += tenon_stored_load(size, p + k * size * TENON_VL);
    }
  }
  TENON_UNROLL
  for (int k = 0; k < n; ++k)
    tenon_avg_pool_put(size, sum[k], m, (int32_t)(w->down * w->right),
                       y + i + k * size * TENON_VL);
}

// Where channels are left over, the last register begins further in front.
TENON_FLAT void tenon_avg_pool_pixel(const int size, const tenon_pool_at *w,
                                     const tenon_pool_s8 *m, ptrdiff_t channels,
                                     char *y) {
  const ptrdiff_t end = channels * size, vector = (ptrdiff_t)size * TENON_VL;
  ptrdiff_t i = 0;
  for (; i + 4 * vector <= end; i += 4 * vector)
    tenon_avg_pool_lanes(size, 4, w, m, i, y);
  for (; i + vector <= end; i += vector)
    tenon_avg_pool_lanes(size, 1, w, m, i, y);
  if (i < end && i > 0) {
    tenon_avg_pool_lanes(size, 1, w, m, end - vector, y);
    return;
  }
  for (; i < end; i += size) {
    int32_t sum = 0;
    for (ptrdiff_t ky = 0; ky < w->down; ++ky)
      for (ptrdiff_t kx = 0; kx < w->right; ++kx)
        sum +=
            tenon_stored_get(size, w->first + ky * w->row + kx * w->pixel + i);
    tenon_stored_put(
        size, y + i,
        tenon_clamp_s32(tenon_pool_mean(sum, (int32_t)(w->down * w->right)),
                        m->lo, m->hi));
  }
}

// Elements of a whole register, or of a part. What is less than `lo` becomes
// that in the end, so it is what the maximum starts from.
#define TENON_MAX_POOL_LANES(name, element, type, type_at)             \
  TENON_FLAT void name(const tenon_pool_at *w, const tenon_pool_s8 *m, \
                       ptrdiff_t i, char *y) {                         \
    const type hi = (type){0} + (element)m->hi;                        \
    type most = (type){0} + (element)m->lo, more;                      \
    for (ptrdiff_t ky = 0; ky < w->down; ++ky) {                       \
      const char *p = w->first + ky * w->row + i;                      \
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
typedef int16_t tenon_vw2 __attribute__((vector_size(TENON_VB)));
typedef int16_t tenon_vw2_at
    __attribute__((vector_size(TENON_VB), aligned(2), may_alias));
TENON_MAX_POOL_LANES(tenon_max_pool_s8_whole, int8_t, tenon_vs, tenon_vs_at)
TENON_MAX_POOL_LANES(tenon_max_pool_s8_part, int8_t, tenon_vb, tenon_vb_at)
TENON_MAX_POOL_LANES(tenon_max_pool_s16_whole, int16_t, tenon_vw2, tenon_vw2_at)
TENON_MAX_POOL_LANES(tenon_max_pool_s16_part, int16_t, tenon_vw, tenon_vw_at)

TENON_FLAT void tenon_max_pool_part(const int size, const tenon_pool_at *w,
                                    const tenon_pool_s8 *m, ptrdiff_t i,
                                    char *y) {
  if (size == 1)
    tenon_max_pool_s8_part(w, m, i, y);
  else
    tenon_max_pool_s16_part(w, m, i, y);
}

TENON_FLAT void tenon_max_pool_pixel(const int size, const tenon_pool_at *w,
                                     const tenon_pool_s8 *m, ptrdiff_t channels,
                                     char *y) {
  const ptrdiff_t end = channels * size, part = (ptrdiff_t)size * TENON_VL;
  ptrdiff_t i = 0;
  for (; i + TENON_VB <= end; i += TENON_VB) {
    if (size == 1)
      tenon_max_pool_s8_whole(w, m, i, y);
    else
      tenon_max_pool_s16_whole(w, m, i, y);
  }
  for (; i + part <= end; i += part)
    tenon_max_pool_part(size, w, m, i, y);
  if (i < end && i > 0) {
    tenon_max_pool_part(size, w, m, end - part, y);
    return;
  }
  for (; i < end; i += size) {
    int32_t most = m->lo;
    for (ptrdiff_t ky = 0; ky < w->down; ++ky) {
      for (ptrdiff_t kx = 0; kx < w->right; ++kx) {
        const int32_t x =
            tenon_stored_get(size, w->first + ky * w->row + kx * w->pixel + i);
        most = x > most ? x : most;
      }
    }
    tenon_stored_put(size, y + i, most < m->hi ? most : m->hi);
  }
}

#define TENON_POOL_PIXEL(how, type, size)                                     \
  TENON_APART void tenon_##how##_pool_##type##_pixel(                         \
      const tenon_pool_at *w, const tenon_pool_s8 *m, ptrdiff_t n, char *y) { \
    tenon_##how##_pool_pixel(size, w, m, n, y);                               \
  }
TENON_POOL_PIXEL(avg, s8, 1)
TENON_POOL_PIXEL(max, s8, 1)
TENON_POOL_PIXEL(avg, s16, 2)
TENON_POOL_PIXEL(max, s16, 2)
#undef TENON_POOL_PIXEL

TENON_FLAT tenon_status tenon_pool_stored_run(
    const tenon_call *c, int64_t begin, int64_t end, const int size,
    void (*const pixel)(const tenon_pool_at *, const tenon_pool_s8 *, ptrdiff_t,
                        char *)) {
  const tenon_pool_s8 *limits = (const tenon_pool_s8 *)c->packed;
  const tenon_window g = tenon_pool_window(c);
  const ptrdiff_t bytes = (ptrdiff_t)g.c * size;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const char *image =
        (const char *)c->in[0].data + row / g.out_h * g.h * g.w * bytes;
    char *y = (char *)c->out[0].data + row * g.out_w * bytes;
    const tenon_taps ty = tenon_window_rows(&g, row % g.out_h);
    ptrdiff_t run;
    for (ptrdiff_t ox = 0; ox < g.out_w; ox += run, y += run * bytes) {
      const tenon_taps tx = tenon_window_columns(&g, ox);
      tenon_pool_at at = {image, ty.end - ty.begin, tx.end - tx.begin,
                          g.w * bytes, bytes};
      run = tenon_pool_run(&g, tx, ox);
      if (at.down <= 0 || at.right <= 0)
        at.down = at.right = 0;
      else
        at.first += ((ty.at + ty.begin) * g.w + tx.at + tx.begin) * bytes;
      pixel(&at, limits, run * g.c, y);
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_POOL_STORED_OPT_H
