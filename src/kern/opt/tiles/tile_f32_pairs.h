// kern/opt/tiles/tile_f32_pairs.h - products of floats where the last register
// of outputs is half full: two rows share it.
//
// A processor whose units take a register of 512 bits at once takes no less
// time for half of one. So the last outputs of two rows, eight each, are sums
// of one register: weights are there twice, and of what is multiplied the lower
// half is a value of the first row, the upper one of the second. The whole
// register before it goes along, since both need the same values. Each output
// is the chain of sums that it is elsewhere.
#ifndef TENON_KERN_OPT_TILE_F32_PAIRS_H
#define TENON_KERN_OPT_TILE_F32_PAIRS_H

#include "kern/opt/tiles/gemm_f32.h"

#ifdef TENON_HAS_HALF
// Values of short rows that are multiplied before weights are fetched and the
// loop goes on.
enum { TENON_SHORT_BY = 2 };

// The lower half of a, the upper of b.
TENON_FLAT tenon_vf tenon_vf_halves(tenon_vf a, tenon_vf b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27,
                                 28, 29, 30, 31);
}
// The lower half twice, and the upper half of x in the lower.
TENON_FLAT tenon_vf tenon_vf_twice(tenon_half x) {
  return __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5,
                                 6, 7);
}
TENON_FLAT tenon_half tenon_vf_upper(tenon_vf x) {
  return __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
}
TENON_FLAT tenon_half tenon_half_load(const float *p) {
  return *(const tenon_half_at *)p;
}

// What is added and limited behind the sums of the shared registers, in
// registers.
TENON_FLAT tenon_tile_f32_ends tenon_pairs_f32_ends_of(const tenon_gemm_f32 *g,
                                                       ptrdiff_t v) {
  tenon_tile_f32_ends e;
  e.last[0] =
      tenon_vf_twice(tenon_half_load(g->bias + v * TENON_VL + 2 * g->scale));
  e.lo = tenon_vf_splat(g->lo);
  e.hi = tenon_vf_splat(g->hi);
  return e;
}

// What follows the sums of the shared registers, `e` among it: those of rows
// 2 i and 2 i + 1, `left` outputs each, to rows at `c`.
TENON_FLAT void tenon_pairs_f32_end(const int pairs, const tenon_gemm_f32 *g,
                                    const tenon_tile_f32_ends *e, ptrdiff_t v,
                                    tenon_vf *acc, float *c, ptrdiff_t ldc) {
  const ptrdiff_t left = g->n - v * TENON_VL;
  if (g->scale) {
    const float *at = g->bias + v * TENON_VL;
    const tenon_vf scale = tenon_vf_twice(tenon_half_load(at + g->scale));
    const tenon_vf bias = tenon_vf_twice(tenon_half_load(at));
    TENON_UNROLL
    for (int i = 0; i < pairs; ++i)
      acc[i] = (acc[i] + bias) * scale;
  }
  TENON_UNROLL
  for (int i = 0; i < pairs; ++i) {
    const tenon_vf x = tenon_vf_clamp(acc[i] + e->last[0], e->lo, e->hi);
    if (left == TENON_VL / 2) {
      *(tenon_half_at *)c = tenon_vf_half(x);
      *(tenon_half_at *)(c + ldc) = tenon_vf_upper(x);
    } else {
      tenon_vf_store_part(c, x, left);
      tenon_vf_store_part(c + ldc, tenon_vf_of_half(tenon_vf_upper(x)), left);
    }
    c += 2 * ldc;
    TENON_SETTLE_POINTER(c);
  }
}

// What `n` values of each row add to the sums; rows are addressed from one
// pointer per three, which are stepped.
TENON_FLAT void tenon_pairs_f32_step(const int n, const float *bp,
                                     ptrdiff_t panel, const float **row,
                                     ptrdiff_t lda, tenon_vf acc[][8],
                                     tenon_vf *some) {
  TENON_UNROLL
  for (int k = 0; k < n; ++k, bp += TENON_LANES) {
    const tenon_vf bv = tenon_vf_load(bp);
    const tenon_vf bh = tenon_vf_twice(tenon_half_load(bp + panel));
    TENON_UNROLL
    for (int i = 0; i < TENON_MR1; i += 2) {
      const int j = i + 1;
      tenon_vf one = tenon_vf_splat(row[i / 3][i % 3 * lda + k]);
      tenon_vf two = tenon_vf_splat(row[j / 3][j % 3 * lda + k]);
      // Loaded once for both: gcc would load them again for a half.
      TENON_SETTLE(one);
      TENON_SETTLE(two);
      acc[i][0] = tenon_vf_fma(one, bv, acc[i][0]);
      acc[j][0] = tenon_vf_fma(two, bv, acc[j][0]);
      some[i / 2] = tenon_vf_fma(tenon_vf_halves(one, two), bh, some[i / 2]);
    }
  }
  TENON_UNROLL
  for (int i = 0; i < 4; ++i)
    row[i] += n;
}

// `count` tiles of TENON_MR1 rows by vector v and what the next one has in its
// lower half, one behind the other; otherwise as
// tenon_short_f32_blocks.
TENON_FLAT void tenon_pairs_f32_blocks(const bool is_dense,
                                       const tenon_gemm_f32 *g,
                                       const tenon_walk *w, ptrdiff_t v,
                                       const float *fetch, ptrdiff_t step,
                                       const float *a, ptrdiff_t lda, float *c,
                                       ptrdiff_t ldc, ptrdiff_t count) {
  enum { mr = TENON_MR1, pairs = mr / 2, by = TENON_SHORT_BY };
  const ptrdiff_t len = w->len, panel = g->panel;
  const tenon_tile_f32_ends ends = tenon_tile_f32_ends_of(1, g, v);
  const tenon_tile_f32_ends halves = tenon_pairs_f32_ends_of(g, v + 1);
  for (; count > 0; --count, a += mr * lda, c += mr * ldc) {
    const float *bp = g->weights + v * panel, *at = a;
    tenon_vf acc[mr][8], some[pairs];
    TENON_UNROLL
    for (int i = 0; i < mr; ++i) {
      acc[i][0] = (tenon_vf){0};
      some[i / 2] = (tenon_vf){0};
    }
    for (ptrdiff_t y = is_dense ? 1 : w->ny; y > 0; --y) {
      const float *row[4];
      TENON_UNROLL
      for (int i = 0; i < 4; ++i)
        row[i] = at + 3 * i * lda;
      ptrdiff_t p = len;
      for (; p >= by; p -= by, bp += by * TENON_LANES, fetch += step) {
        if (is_dense) __builtin_prefetch(fetch);
        tenon_pairs_f32_step(by, bp, panel, row, lda, acc, some);
      }
      for (; p > 0; --p, bp += TENON_LANES)
        tenon_pairs_f32_step(1, bp, panel, row, lda, acc, some);
      if (is_dense) break;
      at += w->a_y;
      bp += w->b_y - len * TENON_LANES;
    }
    tenon_tile_f32_end_by(mr, 1, g, &ends, v, acc, c, ldc);
    tenon_pairs_f32_end(pairs, g, &halves, v + 1, some, c + TENON_VL, ldc);
  }
}

#define TENON_PAIRS(name, is_dense)                                        \
  TENON_APART void tenon_pairs_f32_##name(                                 \
      const tenon_gemm_f32 *g, const tenon_walk *w, ptrdiff_t v,           \
      const float *fetch, ptrdiff_t step, const float *a, ptrdiff_t lda,   \
      float *c, ptrdiff_t ldc, ptrdiff_t count) {                          \
    tenon_pairs_f32_blocks(is_dense, g, w, v, fetch, step, a, lda, c, ldc, \
                           count);                                         \
  }
TENON_PAIRS(dense, true)
TENON_PAIRS(lines, false)
#undef TENON_PAIRS
#endif

#endif  // TENON_KERN_OPT_TILE_F32_PAIRS_H
