// kern/opt/tiles/tile_f32.h - products of rows of floats with packed weights.
//
// A tile keeps up to 12 x 1 or 12 x 2 vectors of outputs in registers (8 x 1 or
// 6 x 2 with 16 of them), 1 x 4 or 1 x 8 for a single row, and goes once
// through its inputs: per step it loads one vector of weights per column and
// broadcasts one value per row. Every output is one chain of fused
// multiply-adds in the order of the reference kernel, so its bits depend
// neither on the tile nor on the width of a register.
#ifndef TENON_KERN_OPT_TILE_F32_H
#define TENON_KERN_OPT_TILE_F32_H

#include "kern/opt/tiles/tile_f32_short.h"

// The next weights of `nv` vectors of outputs, or differences, as below.
TENON_FLAT void tenon_tile_f32_weights(const int nv, const float *b,
                                       ptrdiff_t panel, const bool is_made,
                                       ptrdiff_t minus, float *made,
                                       ptrdiff_t made_panel, tenon_vf *bv) {
  TENON_UNROLL
  for (int j = 0; j < nv; ++j) {
    const float *at = b + j / TENON_VPP * panel + j % TENON_VPP * TENON_VL;
    bv[j] = tenon_vf_load(at);
    if (is_made) {
      bv[j] -= tenon_vf_load(at + minus);
      tenon_vf_store(
          made + j / TENON_VPP * made_panel + j % TENON_VPP * TENON_VL, bv[j]);
    }
  }
}

// `mr` rows at `lda`, `nv` vectors of outputs from vector `v` on; both are
// constants after inlining. Rows are addressed from one pointer per three rows,
// because x86 has 16 integer registers. Where a factor may be a lane of a
// register (TENON_HAS_BY_LANE), a row's are loaded by the register.
//
// Where `is_made`, there is one run of values, and differences are multiplied
// in place of weights: of these and those `minus` floats further. They go to
// `made`, packed as the weights are.
TENON_FLAT void tenon_tile_f32(const int mr, const int nv,
                               const tenon_gemm_f32 *g, const tenon_walk *w,
                               ptrdiff_t v, const float *a, ptrdiff_t lda,
                               float *c, ptrdiff_t ldc, const bool is_made,
                               ptrdiff_t minus, float *made) {
  const ptrdiff_t made_panel = w->len * TENON_LANES;
  if (is_made)
    made += v / TENON_VPP * made_panel + v % TENON_VPP * (ptrdiff_t)TENON_VL;
  const ptrdiff_t panel = g->panel;
  const ptrdiff_t step = g->fetch ? g->step : TENON_LANES;
  const ptrdiff_t aside = g->fetch ? g->aside : panel;
  const float *b =
      g->weights + v / TENON_VPP * panel + v % TENON_VPP * (ptrdiff_t)TENON_VL;
  tenon_vf acc[TENON_MR1][8];
  TENON_UNROLL
  for (int i = 0; i < mr; ++i) {
    TENON_UNROLL
    for (int j = 0; j < nv; ++j)
      acc[i][j] = (tenon_vf){0};
  }
  if (g->goes_on) {
    TENON_UNROLL
    for (int i = 0; i < mr; ++i) {
      TENON_UNROLL
      for (int j = 0; j < nv; ++j)
        acc[i][j] = tenon_vf_load(c + i * ldc + j * TENON_VL);
    }
  }
  for (ptrdiff_t y = 0; y < w->ny; ++y) {
    for (ptrdiff_t x = 0; x < w->nx; ++x) {
      const float *bp = b + y * w->b_y + x * w->b_x;
      const float *fetch = g->fetch ? g->fetch : bp + g->ahead;
      const float *row[4];
      TENON_UNROLL
      for (int i = 0; i < 4; ++i)
        row[i] = a + y * w->a_y + x * w->a_x + (3 * i < mr ? 3 * i * lda : 0);
      ptrdiff_t p = 0;
#ifdef TENON_HAS_BY_LANE
      for (; p + TENON_VL <= w->len; p += TENON_VL) {
        tenon_vf some[TENON_MR1];
        TENON_UNROLL
        for (int i = 0; i < mr; ++i)
          some[i] = tenon_vf_load(row[i / 3] + i % 3 * lda + p);
        TENON_UNROLL
        for (int k = 0; k < TENON_VL; ++k) {
          tenon_vf bv[8];
          TENON_UNROLL
          for (int j = 0; j < nv; j += TENON_VPP)
            __builtin_prefetch(fetch + j / TENON_VPP * aside);
          tenon_tile_f32_weights(nv, bp, panel, is_made, minus, made,
                                 made_panel, bv);
          TENON_UNROLL
          for (int i = 0; i < mr; ++i) {
            TENON_UNROLL
            for (int j = 0; j < nv; ++j)
              acc[i][j] =
                  tenon_vf_fma(tenon_vf_splat(some[i][k]), bv[j], acc[i][j]);
          }
          bp += TENON_LANES;
          fetch += step;
          if (is_made) made += TENON_LANES;
        }
      }
#endif
      for (; p < w->len; ++p) {
        tenon_vf bv[8];
        TENON_UNROLL
        for (int j = 0; j < nv; j += TENON_VPP)
          __builtin_prefetch(fetch + j / TENON_VPP * aside);
        tenon_tile_f32_weights(nv, bp, panel, is_made, minus, made, made_panel,
                               bv);
        TENON_UNROLL
        for (int i = 0; i < mr; ++i) {
          tenon_vf one = tenon_vf_splat(row[i / 3][i % 3 * lda + p]);
          // Loaded once: gcc would load it for each product.
          if (TENON_VB == 64 && nv > 1 && mr > 1) TENON_SETTLE(one);
          TENON_UNROLL
          for (int j = 0; j < nv; ++j)
            acc[i][j] = tenon_vf_fma(one, bv[j], acc[i][j]);
        }
        bp += TENON_LANES;
        fetch += step;
        if (is_made) made += TENON_LANES;
      }
    }
  }
  tenon_tile_f32_end(mr, nv, g, v, acc, c, ldc);
}

#ifdef TENON_HAS_HALF
// The same where the last of `nv` registers, one or two, has outputs in its
// lower half alone: what it has is computed in a register of half the size, of
// which a processor whose units are as wide takes two at once.
TENON_FLAT void tenon_tile_f32_half(const int mr, const int nv,
                                    const tenon_gemm_f32 *g,
                                    const tenon_walk *w, ptrdiff_t v,
                                    const float *a, ptrdiff_t lda, float *c,
                                    ptrdiff_t ldc) {
  const ptrdiff_t panel = g->panel, ahead = g->ahead;
  const float *b = g->weights + v * panel;
  tenon_vf acc[TENON_MR1][8];
  tenon_half some[TENON_MR1];
  TENON_UNROLL
  for (int i = 0; i < mr; ++i) {
    some[i] = (tenon_half){0};
    if (nv > 1) acc[i][0] = (tenon_vf){0};
  }
  for (ptrdiff_t y = 0; y < w->ny; ++y) {
    for (ptrdiff_t x = 0; x < w->nx; ++x) {
      const float *bp = b + y * w->b_y + x * w->b_x;
      const float *row[4];
      TENON_UNROLL
      for (int i = 0; i < 4; ++i)
        row[i] = a + y * w->a_y + x * w->a_x + (3 * i < mr ? 3 * i * lda : 0);
      for (ptrdiff_t p = 0; p < w->len; ++p) {
        TENON_UNROLL
        for (int j = 0; j < nv; ++j)
          __builtin_prefetch(bp + ahead + j * panel);
        const tenon_vf bv = tenon_vf_load(bp);
        const tenon_half bh = *(const tenon_half_at *)(bp + (nv - 1) * panel);
        TENON_UNROLL
        for (int i = 0; i < mr; ++i) {
          tenon_vf one = tenon_vf_splat(row[i / 3][i % 3 * lda + p]);
          if (nv > 1) TENON_SETTLE(one);
          if (nv > 1) acc[i][0] = tenon_vf_fma(one, bv, acc[i][0]);
          some[i] = tenon_half_fma(tenon_vf_half(one), bh, some[i]);
        }
        bp += TENON_LANES;
      }
    }
  }
  TENON_UNROLL
  for (int i = 0; i < mr; ++i)
    acc[i][nv - 1] = tenon_vf_of_half(some[i]);
  tenon_tile_f32_end(mr, nv, g, v, acc, c, ldc);
}
#endif

typedef void tenon_tile_f32_fn(const tenon_gemm_f32 *, const tenon_walk *,
                               ptrdiff_t, const float *, ptrdiff_t, float *,
                               ptrdiff_t);
#define TENON_TILE(mr, nv)                                           \
  TENON_APART void tenon_tile_f32_##mr##_##nv(                       \
      const tenon_gemm_f32 *g, const tenon_walk *w, ptrdiff_t v,     \
      const float *a, ptrdiff_t lda, float *c, ptrdiff_t ldc) {      \
    tenon_tile_f32(mr, nv, g, w, v, a, lda, c, ldc, false, 0, NULL); \
  }
TENON_EACH_TILE(TENON_TILE)
#undef TENON_TILE

#ifdef TENON_HAS_HALF
// Of few rows the whole register is computed.
#define TENON_EACH_HALF_TILE(X) \
  X(6, 1) X(7, 1) X(8, 1) X(12, 1) X(6, 2) X(7, 2) X(8, 2) X(12, 2)
#define TENON_TILE(mr, nv)                                       \
  TENON_APART void tenon_tile_f32_half_##mr##_##nv(              \
      const tenon_gemm_f32 *g, const tenon_walk *w, ptrdiff_t v, \
      const float *a, ptrdiff_t lda, float *c, ptrdiff_t ldc) {  \
    tenon_tile_f32_half(mr, nv, g, w, v, a, lda, c, ldc);        \
  }
TENON_EACH_HALF_TILE(TENON_TILE)
#undef TENON_TILE
#endif

// `idle`: lanes of the last register that have no outputs.
static tenon_tile_f32_fn *tenon_tile_f32_find(ptrdiff_t mr, ptrdiff_t nv,
                                              ptrdiff_t idle) {
#ifdef TENON_HAS_HALF
  if (idle >= TENON_VL / 2) switch (mr * 16 + nv) {
#define TENON_TILE(mr, nv) \
  case mr * 16 + nv:       \
    return tenon_tile_f32_half_##mr##_##nv;
      TENON_EACH_HALF_TILE(TENON_TILE)
#undef TENON_TILE
    }
#endif
  (void)idle;
  switch (mr * 16 + nv) {
#define TENON_TILE(mr, nv) \
  case mr * 16 + nv:       \
    return tenon_tile_f32_##mr##_##nv;
    TENON_EACH_TILE(TENON_TILE)
#undef TENON_TILE
  }
  return NULL;
}

// m rows of input at `lda` to m rows of output at `ldc`: outputs from vector v
// to v_end of each, as long as there are so many. While the first rows go
// through some weights the next ones are fetched, be it those of the next
// layer: most come from memory, and a tile would wait for each. Where there is
// one run of values, all tiles share in that, or the first would wait. A single
// row goes through weights as fast as they come, and none are fetched besides:
// from the third-level cache they take 0.65 of the time so, from memory 0.95.
TENON_APART void tenon_gemm_f32_tiles(const tenon_gemm_f32 *g,
                                      const tenon_walk *w, ptrdiff_t v,
                                      ptrdiff_t v_end, ptrdiff_t m,
                                      const float *a, ptrdiff_t lda, float *c,
                                      ptrdiff_t ldc) {
  float edge[TENON_MR1 * 8 * TENON_VL];
  tenon_gemm_f32 own = *g;
  ptrdiff_t nv;
  for (; v < v_end; v += nv) {
    nv = tenon_tile_columns(m, v_end - v);
    const ptrdiff_t left = g->n - v * TENON_VL, width = nv * TENON_VL;
    const ptrdiff_t panels = (nv + TENON_VPP - 1) / TENON_VPP;
    const ptrdiff_t most = nv == 1 ? TENON_MR1 : TENON_MR2;
    const bool is_shared = m > most && g->panel <= TENON_DEEP && !g->ahead &&
                           w->ny * w->nx == 1 && width - left < TENON_VL / 2;
    ptrdiff_t mr;
    own.ahead = g->ahead                ? g->ahead
                : m == 1                ? 0
                : g->panel > TENON_DEEP ? TENON_NEAR
                                        : panels * g->panel;
    own.fetch = g->next     ? g->next + v / TENON_VPP * g->panel
                : is_shared ? g->weights + (v / TENON_VPP + panels) * g->panel
                            : NULL;
    // Each tile of rows fetches its part: of every panel of `next`, else of all
    // panels together, as these follow one another.
    ptrdiff_t part = 0;
    if (own.fetch) {
      ptrdiff_t tiles = 0;
      for (ptrdiff_t i = 0; i < m; i += tenon_tile_rows(m - i, nv))
        ++tiles;
      own.step = (TENON_LANES + tiles - 1) / tiles;
      part = w->len * own.step;
      own.aside = g->next ? g->panel : part;
      part *= g->next ? 1 : panels;
    }
    for (ptrdiff_t i = 0; i < m; i += mr, own.ahead = 0) {
      mr = tenon_tile_rows(m - i, nv);
      tenon_tile_f32_fn *tile = tenon_tile_f32_find(mr, nv, width - left);
      float *to = c + i * ldc + v * TENON_VL;
      if (left >= width || !TENON_TILE_IS_SPARE) {
        tile(&own, w, v, a + i * lda, lda, to, ldc);
      } else {
        tile(&own, w, v, a + i * lda, lda, edge, width);
        for (ptrdiff_t r = 0; r < mr; ++r)
          tenon_copy_short(to + r * ldc, edge + r * width, left);
      }
      if (own.fetch) own.fetch += part;
    }
  }
}

// The same, short rows by their own tiles, and what these leave.
TENON_APART void tenon_gemm_f32_rows(const tenon_gemm_f32 *g,
                                     const tenon_walk *w, ptrdiff_t v,
                                     ptrdiff_t v_end, ptrdiff_t m,
                                     const float *a, ptrdiff_t lda, float *c,
                                     ptrdiff_t ldc) {
#ifdef TENON_HAS_HALF
  if (w->nx == 1 && w->ny * w->len < TENON_SHORT && m >= TENON_SHORT_ROWS) {
    for (ptrdiff_t nv; v < v_end; v += nv) {
      const ptrdiff_t done =
          tenon_short_f32(g, w, v, v_end, m, a, lda, c, ldc, &nv);
      if (done < m)
        tenon_gemm_f32_tiles(g, w, v, v + nv, m - done, a + done * lda, lda,
                             c + done * ldc, ldc);
    }
    return;
  }
#endif
  tenon_gemm_f32_tiles(g, w, v, v_end, m, a, lda, c, ldc);
}

// The same for m dense rows of k values.
TENON_INLINE void tenon_product_f32(const tenon_gemm_f32 *g, ptrdiff_t k,
                                    ptrdiff_t v, ptrdiff_t v_end, ptrdiff_t m,
                                    const float *x, float *y) {
  const tenon_walk w = {.ny = 1, .nx = 1, .len = k};
  tenon_gemm_f32_rows(g, &w, v, v_end, m, x, k, y, g->n);
}

#endif  // TENON_KERN_OPT_TILE_F32_H
