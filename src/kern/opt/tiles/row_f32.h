// kern/opt/tiles/row_f32.h - one row of floats by packed weights.
#ifndef TENON_KERN_OPT_ROW_F32_H
#define TENON_KERN_OPT_ROW_F32_H

#include "kern/opt/tiles/tile_f32.h"

#if TENON_VB == 64
// What one value adds to `nv` registers of outputs, whose weights are `aside`
// floats apart.
TENON_FLAT void tenon_row_f32_step(const int nv, float x, const float *b,
                                   const ptrdiff_t aside, tenon_vf *acc) {
  const tenon_vf one = tenon_vf_splat(x);
  TENON_UNROLL
  for (int j = 0; j < nv; ++j)
    acc[j] = tenon_vf_fma(one, tenon_vf_load(b + j * aside), acc[j]);
}

// `nv` registers from register v on; `step`: floats from a value's weights to
// the next one's. Where `is_twice`, two values at a time.
TENON_FLAT void tenon_row_f32_tile(const int nv, const ptrdiff_t step,
                                   const ptrdiff_t aside, const bool is_twice,
                                   const tenon_gemm_f32 *g, ptrdiff_t k,
                                   ptrdiff_t v, const float *x, float *y) {
  const float *b = g->weights + v * g->panel;
  tenon_vf acc[1][8];
  TENON_UNROLL
  for (int j = 0; j < nv; ++j)
    acc[0][j] = (tenon_vf){0};
  ptrdiff_t p = 0;
  if (is_twice) {
    for (; p + 2 <= k; p += 2, b += 2 * step) {
      tenon_row_f32_step(nv, x[p], b, aside, acc[0]);
      tenon_row_f32_step(nv, x[p + 1], b + step, aside, acc[0]);
    }
  }
  for (; p < k; ++p, b += step)
    tenon_row_f32_step(nv, x[p], b, aside, acc[0]);
  tenon_tile_f32_end(1, nv, g, v, acc, y + v * TENON_VL, 0);
}

// One row takes weights as fast as they come, so it fetches none, which would
// be asked for twice. A line of the second-level cache comes in each cycle, and
// each waits for the sum of its register: eight of these leave time to make up
// for a line that came late, where four have just enough. Outputs are divided
// evenly: each part of them waits for as many sums, one after the other.
#define TENON_ROW(nv)                                                          \
  TENON_APART void tenon_row_f32_##nv(const tenon_gemm_f32 *g, ptrdiff_t k,    \
                                      ptrdiff_t v, const float *x, float *y) { \
    tenon_row_f32_tile(nv, TENON_LANES, g->panel, false, g, k, v, x, y);       \
  }
#define TENON_EACH_ROW(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)
TENON_EACH_ROW(TENON_ROW)
#undef TENON_ROW

TENON_APART void tenon_row_f32_some(const tenon_gemm_f32 *g, ptrdiff_t n,
                                    ptrdiff_t k, ptrdiff_t v, const float *x,
                                    float *y) {
  switch (n) {
#define TENON_ROW(nv)                  \
  case nv:                             \
    tenon_row_f32_##nv(g, k, v, x, y); \
    break;
    TENON_EACH_ROW(TENON_ROW)
#undef TENON_ROW
  }
}

TENON_INLINE void tenon_row_f32(const tenon_gemm_f32 *g, ptrdiff_t k,
                                ptrdiff_t v, ptrdiff_t v_end, const float *x,
                                float *y) {
  const ptrdiff_t whole = TENON_TILE_IS_SPARE ? g->n / TENON_VL : v_end;
  const ptrdiff_t end = whole < v_end ? whole : v_end;
  for (ptrdiff_t n; v < end; v += n) {
    const ptrdiff_t parts = (end - v + 7) / 8;
    n = (end - v + parts - 1) / parts;
    tenon_row_f32_some(g, n, k, v, x, y);
  }
  if (v < v_end) tenon_product_f32(g, k, v, v_end, 1, x, y);
}
#else
TENON_INLINE void tenon_row_f32(const tenon_gemm_f32 *g, ptrdiff_t k,
                                ptrdiff_t v, ptrdiff_t v_end, const float *x,
                                float *y) {
  tenon_product_f32(g, k, v, v_end, 1, x, y);
}
#endif

#endif  // TENON_KERN_OPT_ROW_F32_H
