// kern/opt/tiles/tile_f32_short.h - products of rows of few floats: all tiles
// of some vectors of outputs in one call.
#ifndef TENON_KERN_OPT_TILE_F32_SHORT_H
#define TENON_KERN_OPT_TILE_F32_SHORT_H

#include "kern/opt/tiles/tile_f32_pairs.h"

#ifdef TENON_HAS_HALF
// Values of a row for which these tiles are faster, though rows are gone
// through for every two or three vectors of outputs: as long as they and panels
// of weights stay in the first-level cache. What follows 24 sums waits for room
// in the processor's queues; what follows 12 does not, but 12 rows by one
// vector load 13 values for 12 multiply-accumulates, 6 by two 8 and 4 by three
// 7. A call for each tile would take as long again.
enum { TENON_SHORT = 256, TENON_SHORT_ROWS = 12, TENON_SHORT_MOST = 16 };

// What `n` values of each row add to the sums of mr rows by nv vectors; rows
// are addressed from one pointer per three, which are stepped.
TENON_FLAT void tenon_short_f32_step(const int n, const int mr, const int nv,
                                     const bool is_half, const float *bp,
                                     ptrdiff_t panel, const float **row,
                                     ptrdiff_t lda, tenon_vf acc[][8],
                                     tenon_half *some) {
  TENON_UNROLL
  for (int k = 0; k < n; ++k, bp += TENON_LANES) {
    tenon_vf bv[3];
    TENON_UNROLL
    for (int j = 0; j < nv; ++j)
      bv[j] = tenon_vf_load(bp + j * panel);
    const tenon_half bh = *(const tenon_half_at *)bp;
    TENON_UNROLL
    for (int i = 0; i < mr; ++i) {
      tenon_vf one = tenon_vf_splat(row[i / 3][i % 3 * lda + k]);
      // Loaded once: gcc would load it for each product. A load apart is no
      // slower than one that belongs to a product.
      TENON_SETTLE(one);
      if (is_half) {
        some[i] = tenon_half_fma(tenon_vf_half(one), bh, some[i]);
        continue;
      }
      TENON_UNROLL
      for (int j = 0; j < nv; ++j)
        acc[i][j] = tenon_vf_fma(one, bv[j], acc[i][j]);
    }
  }
  TENON_UNROLL
  for (int i = 0; 3 * i < mr; ++i)
    row[i] += n;
}

// `count` tiles of mr rows by nv vectors, one behind the other; both are
// constants after inlining. Where `is_dense`, there is one run of values, else
// runs that are `a_y` apart. Where `is_half`, there are outputs in the lower
// half alone, which registers of half the size sum up. Together they fetch what
// begins at `fetch`, `step` floats on with each TENON_SHORT_BY values: once for
// each line, as what fetches takes the place of a load.
TENON_FLAT void tenon_short_f32_blocks(const int mr, const int nv,
                                       const bool is_half, const bool is_dense,
                                       const tenon_gemm_f32 *g,
                                       const tenon_walk *w, ptrdiff_t v,
                                       const float *fetch, ptrdiff_t step,
                                       const float *a, ptrdiff_t lda, float *c,
                                       ptrdiff_t ldc, ptrdiff_t count) {
  enum { by = TENON_SHORT_BY };
  const ptrdiff_t len = w->len, panel = g->panel;
  // What is stored might be a limit, for all that a compiler knows.
  const tenon_tile_f32_ends ends = tenon_tile_f32_ends_of(nv, g, v);
  for (; count > 0; --count, a += mr * lda, c += mr * ldc) {
    const float *bp = g->weights + v * panel, *at = a;
    tenon_vf acc[TENON_SHORT_MOST][8];
    tenon_half some[TENON_SHORT_MOST];
    TENON_UNROLL
    for (int i = 0; i < mr; ++i) {
      some[i] = (tenon_half){0};
      TENON_UNROLL
      for (int j = 0; j < nv; ++j)
        acc[i][j] = (tenon_vf){0};
    }
    for (ptrdiff_t y = is_dense ? 1 : w->ny; y > 0; --y) {
      const float *row[TENON_SHORT_MOST / 3 + 1];
      TENON_UNROLL
      for (int i = 0; 3 * i < mr; ++i)
        row[i] = at + 3 * i * lda;
      ptrdiff_t p = len;
      for (; p >= by; p -= by, bp += by * TENON_LANES, fetch += step) {
        if (is_dense) __builtin_prefetch(fetch);
        tenon_short_f32_step(by, mr, nv, is_half, bp, panel, row, lda, acc,
                             some);
      }
      for (; p > 0; --p, bp += TENON_LANES)
        tenon_short_f32_step(1, mr, nv, is_half, bp, panel, row, lda, acc,
                             some);
      if (is_dense) break;
      at += w->a_y;
      bp += w->b_y - len * TENON_LANES;
    }
    TENON_UNROLL
    for (int i = 0; i < mr; ++i)
      if (is_half) acc[i][0] = tenon_vf_of_half(some[i]);
    tenon_tile_f32_end_by(mr, nv, g, &ends, v, acc, c, ldc);
  }
}

typedef void tenon_short_f32_fn(const tenon_gemm_f32 *, const tenon_walk *,
                                ptrdiff_t, const float *, ptrdiff_t,
                                const float *, ptrdiff_t, float *, ptrdiff_t,
                                ptrdiff_t);
#define TENON_SHORT_TILE(name, mr, nv, is_half)            \
  TENON_SHORT_TILE_OF(dense_##name, mr, nv, is_half, true) \
  TENON_SHORT_TILE_OF(lines_##name, mr, nv, is_half, false)
#define TENON_SHORT_TILE_OF(name, mr, nv, is_half, is_dense)                   \
  TENON_APART void tenon_short_f32_##name(                                     \
      const tenon_gemm_f32 *g, const tenon_walk *w, ptrdiff_t v,               \
      const float *fetch, ptrdiff_t step, const float *a, ptrdiff_t lda,       \
      float *c, ptrdiff_t ldc, ptrdiff_t count) {                              \
    tenon_short_f32_blocks(mr, nv, is_half, is_dense, g, w, v, fetch, step, a, \
                           lda, c, ldc, count);                                \
  }
TENON_SHORT_TILE(half, 12, 1, true)
TENON_SHORT_TILE(one, 16, 1, false)
TENON_SHORT_TILE(two, 6, 2, false)
TENON_SHORT_TILE(three, 4, 3, false)
#undef TENON_SHORT_TILE
#undef TENON_SHORT_TILE_OF

// One of the ways above: vectors, rows, and what does so for one run of values
// and for several.
typedef struct tenon_short_f32_way {
  ptrdiff_t nv, mr;
  tenon_short_f32_fn *dense, *lines;
} tenon_short_f32_way;

// The next vectors of v to v_end: two, where no single one is left over, but
// the last whole one goes with a half.
TENON_INLINE const tenon_short_f32_way *tenon_short_f32_find(
    const tenon_gemm_f32 *g, ptrdiff_t v, ptrdiff_t v_end) {
  static const tenon_short_f32_way ways[5] = {
      {1, 12, tenon_short_f32_dense_half, tenon_short_f32_lines_half},
      {1, 16, tenon_short_f32_dense_one, tenon_short_f32_lines_one},
      {2, 6, tenon_short_f32_dense_two, tenon_short_f32_lines_two},
      {3, 4, tenon_short_f32_dense_three, tenon_short_f32_lines_three},
      {2, 12, tenon_pairs_f32_dense, tenon_pairs_f32_lines},
  };
  const bool is_half = v_end * TENON_VL - g->n >= TENON_VL / 2;
  const ptrdiff_t left = v_end - v, whole = is_half ? left - 2 : left;
  if (is_half && left <= 2) return &ways[left == 2 ? 4 : 0];
  return &ways[whole > 3 ? 2 : whole];
}

// Of m rows as many as there are whole tiles of, but for the last one if that
// leaves so few rows that their sums wait for each other. Returns the rows, and
// in *nv of how many vectors from v on.
static ptrdiff_t tenon_short_f32(const tenon_gemm_f32 *g, const tenon_walk *w,
                                 ptrdiff_t v, ptrdiff_t v_end, ptrdiff_t m,
                                 const float *a, ptrdiff_t lda, float *c,
                                 ptrdiff_t ldc, ptrdiff_t *nv) {
  const tenon_short_f32_way *way = tenon_short_f32_find(g, v, v_end);
  ptrdiff_t n = m / way->mr;
  if (n * way->mr < m && n * way->mr + 4 > m) --n;
  *nv = way->nv;
  if (n <= 0) return 0;
  const float *next =
      g->next ? g->next : g->weights + (g->ahead ? g->ahead : *nv * g->panel);
  const ptrdiff_t steps = n * (w->len / TENON_SHORT_BY);
  (w->ny == 1 ? way->dense : way->lines)(
      g, w, v, next + v * g->panel,
      steps ? (*nv * g->panel + steps - 1) / steps : 0, a, lda,
      c + v * TENON_VL, ldc, n);
  return n * way->mr;
}
#endif

#endif  // TENON_KERN_OPT_TILE_F32_SHORT_H
