// kern/opt/image/pool_f32_opt.h - maximum and mean over a window, a register of
// channels at a time.
#ifndef TENON_KERN_OPT_POOL_F32_OPT_H
#define TENON_KERN_OPT_POOL_F32_OPT_H

#include "kern/op/clamp.h"
#include "kern/op/pooling.h"
#include "kern/opt/each/real_f32_opt.h"
#include "kern/opt/vectors.h"

// What a pool is of its window; a constant where a loop is made of it. A NaN
// wins the first and is passed over by the second.
typedef enum tenon_pool_f32_kind {
  TENON_POOL_MAX,
  TENON_POOL_MAX_NUMBER,
  TENON_POOL_MEAN,
} tenon_pool_f32_kind;

// What a window has had so far. In `odd` is a NaN where it had one, or an
// infinity: a comparison and a choice for each value take longer.
typedef struct tenon_pool_f32_sum {
  tenon_vf most, odd;
} tenon_pool_f32_sum;

TENON_FLAT tenon_pool_f32_sum
tenon_pool_f32_begin(const tenon_pool_f32_kind kind) {
  tenon_pool_f32_sum s = {{0}, {0}};
  if (kind != TENON_POOL_MEAN)
    s.most = tenon_vf_splat(
        tenon_f32_of_bits(TENON_MAX_POOL_START(kind == TENON_POOL_MAX_NUMBER)));
  return s;
}
TENON_FLAT void tenon_pool_f32_add(const tenon_pool_f32_kind kind,
                                   tenon_pool_f32_sum *s, tenon_vf x) {
  if (kind == TENON_POOL_MEAN) {
    s->most += x;
    return;
  }
  s->most = tenon_vf_at_least(s->most, x);
  if (kind == TENON_POOL_MAX) s->odd = tenon_vf_fma(x, (tenon_vf){0}, s->odd);
}

// `count` channels of one pixel of the result; p: the first of the window.
// Where `is_whole`, down, right and count are constants after inlining.
TENON_FLAT tenon_vf tenon_pool_f32_of(const tenon_pool_f32_kind kind,
                                      const bool is_whole,
                                      const tenon_window *g, const float *p,
                                      const ptrdiff_t down,
                                      const ptrdiff_t right,
                                      const ptrdiff_t count) {
  tenon_pool_f32_sum s = tenon_pool_f32_begin(kind);
  if (is_whole) {
    TENON_UNROLL
    for (ptrdiff_t ky = 0; ky < down; ++ky) {
      TENON_UNROLL
      for (ptrdiff_t kx = 0; kx < right; ++kx)
        tenon_pool_f32_add(kind, &s,
                           tenon_vf_load(p + (ky * g->w + kx) * g->c));
    }
  } else {
    for (ptrdiff_t ky = 0; ky < down; ++ky)
      for (ptrdiff_t kx = 0; kx < right; ++kx)
        tenon_pool_f32_add(
            kind, &s, tenon_vf_load_part(p + (ky * g->w + kx) * g->c, count));
  }
  if (kind == TENON_POOL_MEAN && down * right > 0)
    s.most = s.most / tenon_vf_splat((float)(down * right));
  if (kind != TENON_POOL_MAX || !tenon_vi_any(s.odd != s.odd)) return s.most;
  // A NaN wins and stays.
  s = tenon_pool_f32_begin(kind);
  for (ptrdiff_t ky = 0; ky < down; ++ky) {
    for (ptrdiff_t kx = 0; kx < right; ++kx) {
      const tenon_vf x = tenon_vf_load_part(p + (ky * g->w + kx) * g->c, count);
      s.most = tenon_vf_pick(x > s.most, x, s.most);
      s.most = tenon_vf_pick(x != x, x, s.most);
    }
  }
  return s.most;
}

TENON_FLAT tenon_vf tenon_pool_f32_clamp(tenon_limits_f32 m, tenon_vf x) {
  return tenon_vf_clamp(x, tenon_vf_splat(m.lo), tenon_vf_splat(m.hi));
}

// All whole registers of `n` channels, of one pixel or of several side by side.
// Returns how many channels they are.
TENON_FLAT ptrdiff_t tenon_pool_f32_whole(
    const tenon_pool_f32_kind kind, const bool is_whole, const tenon_window *g,
    tenon_limits_f32 m, const float *p, const ptrdiff_t down,
    const ptrdiff_t right, float *y, ptrdiff_t n) {
  ptrdiff_t i = 0;
  for (; i + TENON_VL <= n; i += TENON_VL)
    tenon_vf_store(y + i, tenon_pool_f32_clamp(
                              m, tenon_pool_f32_of(kind, is_whole, g, p + i,
                                                   down, right, TENON_VL)));
  return i;
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
      ptrdiff_t i;
      run = tenon_pool_run(&g, tx, ox);
      const ptrdiff_t n = run * g.c;
      if (down > 0 && right > 0)
        p += ((ty.at + ty.begin) * g.w + tx.at + tx.begin) * g.c;
      if (down == 3 && right == 3)
        i = tenon_pool_f32_whole(kind, true, &g, m, p, 3, 3, y, n);
      else if (down == 2 && right == 2)
        i = tenon_pool_f32_whole(kind, true, &g, m, p, 2, 2, y, n);
      else
        i = tenon_pool_f32_whole(kind, false, &g, m, p, down, right, y, n);
      if (i < n)
        tenon_vf_store_part(
            y + i,
            tenon_pool_f32_clamp(m, tenon_pool_f32_of(kind, false, &g, p + i,
                                                      down, right, n - i)),
            n - i);
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
