// kern/opt/image/pool_f32_opt.h - maximum and mean over a window, a register of
// channels at a time.
#ifndef TENON_KERN_OPT_POOL_F32_OPT_H
#define TENON_KERN_OPT_POOL_F32_OPT_H

#include "kern/op/clamp.h"
#include "kern/op/pooling.h"
#include "kern/opt/vectors.h"

// What a pool is of its window; a constant where a loop is made of it. A NaN
// wins the first and is passed over by the second.
typedef enum tenon_pool_f32_kind {
  TENON_POOL_MAX,
  TENON_POOL_MAX_NUMBER,
  TENON_POOL_MEAN,
} tenon_pool_f32_kind;

// `count` channels of one pixel of the result; p: the first of the window.
TENON_FLAT void tenon_pool_f32_lanes(const tenon_pool_f32_kind kind,
                                     const tenon_window *g, tenon_limits_f32 m,
                                     const float *p, ptrdiff_t down,
                                     ptrdiff_t right, float *y,
                                     ptrdiff_t count) {
  tenon_vf most = {0};
  if (kind != TENON_POOL_MEAN)
    most = tenon_vf_splat(
        tenon_f32_of_bits(TENON_MAX_POOL_START(kind == TENON_POOL_MAX_NUMBER)));
  for (ptrdiff_t ky = 0; ky < down; ++ky) {
    for (ptrdiff_t kx = 0; kx < right; ++kx) {
      const tenon_vf x = tenon_vf_load_part(p + (ky * g->w + kx) * g->c, count);
      if (kind == TENON_POOL_MEAN) {
        most += x;
        continue;
      }
      most = tenon_vf_pick(x > most, x, most);
      // A NaN wins and stays.
      if (kind == TENON_POOL_MAX) most = tenon_vf_pick(x != x, x, most);
    }
  }
  if (kind == TENON_POOL_MEAN && down * right > 0)
    most = most / tenon_vf_splat((float)(down * right));
  tenon_vf_store_part(
      y, tenon_vf_clamp(most, tenon_vf_splat(m.lo), tenon_vf_splat(m.hi)),
      count);
}

TENON_FLAT void tenon_pool_f32_rows(const tenon_pool_f32_kind kind,
                                    const tenon_call *c, int64_t begin,
                                    int64_t end) {
  const tenon_pool_attrs *a = (const tenon_pool_attrs *)c->attrs;
  const tenon_limits_f32 m = tenon_limits_f32_of(a->lo, a->hi);
  const tenon_window g = tenon_pool_window(c);
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const float *image =
        (const float *)c->in[0].data + row / g.out_h * g.h * g.w * g.c;
    float *y = (float *)c->out[0].data + row * g.out_w * g.c;
    const tenon_taps ty = tenon_window_rows(&g, row % g.out_h);
    ptrdiff_t down = ty.end - ty.begin;
    if (down < 0) down = 0;
    ptrdiff_t run;
    for (ptrdiff_t ox = 0; ox < g.out_w; ox += run, y += run * g.c) {
      const tenon_taps tx = tenon_window_columns(&g, ox);
      const ptrdiff_t right = tx.end > tx.begin ? tx.end - tx.begin : 0;
      const float *p = image;
      ptrdiff_t i = 0;
      run = tenon_pool_run(&g, tx, ox);
      const ptrdiff_t n = run * g.c;
      if (down > 0 && right > 0)
        p += ((ty.at + ty.begin) * g.w + tx.at + tx.begin) * g.c;
      for (; i + TENON_VL <= n; i += TENON_VL)
        tenon_pool_f32_lanes(kind, &g, m, p + i, down, right, y + i, TENON_VL);
      if (i < n)
        tenon_pool_f32_lanes(kind, &g, m, p + i, down, right, y + i, n - i);
    }
  }
}

TENON_INLINE tenon_status tenon_max_pool_f32_run(const tenon_call *c,
                                                 int64_t begin, int64_t end) {
  if (((const tenon_max_pool_attrs *)c->attrs)->skip_nan)
    tenon_pool_f32_rows(TENON_POOL_MAX_NUMBER, c, begin, end);
  else
    tenon_pool_f32_rows(TENON_POOL_MAX, c, begin, end);
  return TENON_OK;
}

TENON_INLINE tenon_status tenon_avg_pool_f32_run(const tenon_call *c,
                                                 int64_t begin, int64_t end) {
  tenon_pool_f32_rows(TENON_POOL_MEAN, c, begin, end);
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_POOL_F32_OPT_H
