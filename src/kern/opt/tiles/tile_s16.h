// kern/opt/tiles/tile_s16.h - products of rows of 16-bit numbers with packed
// weights of 8 bits.
//
// Packed as those of s8 with pairs (kern/opt/tiles/packed.h), the factor of a
// channel being the lower and the higher word of a double. Pairs of products
// are added up in 32 bits. Where that might not hold a sum, `is_plain` is 0 and
// the biases stand behind the weights, their lower 16 bits and their higher
// ones; so many steps are added up as 32 bits hold, and the upper and lower
// half of what they make apart.
#ifndef TENON_KERN_OPT_TILE_S16_H
#define TENON_KERN_OPT_TILE_S16_H

#include "kern/opt/tiles/scale_s16.h"
#include "kern/opt/tiles/tile_s8_kept.h"

// Steps of two products of at most 2^22 each.
#define TENON_S16_STEPS 255

TENON_FLAT tenon_vd2 tenon_s16_factor(const tenon_gemm_s8 *g, ptrdiff_t v) {
  return tenon_vd2_of_words(tenon_vi_load(g->scale.mult + v * TENON_VL),
                            tenon_vi_load(g->scale.shift + v * TENON_VL));
}

// Sums of a tile, `nv` vectors a row, to rows of results from vector v on.
TENON_FLAT void tenon_finish_s16(const int away, const tenon_gemm_s8 *g,
                                 ptrdiff_t v, ptrdiff_t nv, ptrdiff_t mr,
                                 const int32_t *sums, int16_t *c,
                                 ptrdiff_t ldc) {
  const tenon_limits_s16 limits = {tenon_vi_splat(g->scale.lo),
                                   tenon_vi_splat(g->scale.hi)};
  for (ptrdiff_t j = 0; j < nv; ++j) {
    const tenon_vd2 factor = tenon_s16_factor(g, v + j);
    const ptrdiff_t n = g->n - (v + j) * TENON_VL;
    for (ptrdiff_t i = 0; i < mr; ++i)
      tenon_s16_put(
          away, &factor, &limits,
          tenon_vd2_of_vi(tenon_vi_load(sums + (i * nv + j) * TENON_VL)), n,
          c + i * ldc + j * TENON_VL);
  }
}
TENON_APART void tenon_finish_s16_up(const tenon_gemm_s8 *g, ptrdiff_t v,
                                     ptrdiff_t nv, ptrdiff_t mr,
                                     const int32_t *sums, int16_t *c,
                                     ptrdiff_t ldc) {
  tenon_finish_s16(TENON_UP, g, v, nv, mr, sums, c, ldc);
}
TENON_APART void tenon_finish_s16_away(const tenon_gemm_s8 *g, ptrdiff_t v,
                                       ptrdiff_t nv, ptrdiff_t mr,
                                       const int32_t *sums, int16_t *c,
                                       ptrdiff_t ldc) {
  tenon_finish_s16(TENON_AWAY, g, v, nv, mr, sums, c, ldc);
}

// Adds up what some steps of a tile make.
static void tenon_tile_s16_add(const tenon_gemm_s8 *g, const tenon_walk *w,
                               ptrdiff_t groups, ptrdiff_t mr, ptrdiff_t nv,
                               ptrdiff_t v, const char *a, ptrdiff_t lda,
                               int32_t *low, int32_t *high) {
  int32_t sums[TENON_MR1 * 8 * TENON_VL];
  tenon_gemm_s8 part = *g;
  part.weights += groups * TENON_LANES * TENON_TILE_GROUP;
  tenon_tile_s8_find(mr, nv)(&part, w, v, a, lda, sums);
  for (ptrdiff_t i = 0; i < mr * nv * TENON_VL; i += TENON_VL) {
    const tenon_vi sum = tenon_vi_load(sums + i);
    tenon_vi_store(low + i, tenon_vi_load(low + i) + (sum & 0xffff));
    tenon_vi_store(high + i, tenon_vi_load(high + i) + (sum >> 16));
  }
}

// A tile whose sums have more than 32 bits. They begin with what stands behind
// the weights.
static void tenon_tile_s16_deep(const int away, const tenon_gemm_s8 *g,
                                const tenon_walk *w, ptrdiff_t mr, ptrdiff_t nv,
                                ptrdiff_t v, const char *a, ptrdiff_t lda,
                                int16_t *c, ptrdiff_t ldc) {
  int32_t low[TENON_MR1 * 8 * TENON_VL], high[TENON_MR1 * 8 * TENON_VL];
  const ptrdiff_t np = tenon_round_up(g->n, TENON_LANES);
  const int32_t *first =
      (const int32_t *)(const void *)(g->weights + np / TENON_LANES * g->panel);
  for (ptrdiff_t i = 0; i < mr * nv; ++i) {
    const int32_t *from = first + (v + i % nv) * TENON_VL;
    tenon_vi_store(low + i * TENON_VL, tenon_vi_load(from));
    tenon_vi_store(high + i * TENON_VL, tenon_vi_load(from + np));
  }
  const ptrdiff_t row = w->nx * w->len;
  const ptrdiff_t rows = row > TENON_S16_STEPS ? 0 : TENON_S16_STEPS / row;
  tenon_walk some = *w;
  for (ptrdiff_t y = 0; rows && y < w->ny; y += rows) {
    some.ny = w->ny - y < rows ? w->ny - y : rows;
    tenon_tile_s16_add(g, &some, y * row, mr, nv, v, a + y * w->a_y, lda, low,
                       high);
  }
  some.ny = some.nx = 1;
  some.shared = 0;
  for (ptrdiff_t i = 0; !rows && i < w->ny * w->nx; ++i) {
    const char *run = a + i / w->nx * w->a_y + i % w->nx * w->a_x;
    for (ptrdiff_t p = 0; p < w->len; p += TENON_S16_STEPS) {
      some.len = w->len - p < TENON_S16_STEPS ? w->len - p : TENON_S16_STEPS;
      tenon_tile_s16_add(g, &some, i * w->len + p, mr, nv, v,
                         run + p * TENON_TILE_BYTES, lda, low, high);
    }
  }
  const tenon_limits_s16 limits = {tenon_vi_splat(g->scale.lo),
                                   tenon_vi_splat(g->scale.hi)};
  for (ptrdiff_t i = 0; i < mr * nv; ++i) {
    const ptrdiff_t j = i % nv;
    const tenon_vd2 factor = tenon_s16_factor(g, v + j);
    const tenon_vd2 l = tenon_vd2_of_vi(tenon_vi_load(low + i * TENON_VL));
    const tenon_vd2 h = tenon_vd2_of_vi(tenon_vi_load(high + i * TENON_VL));
    const tenon_vd2 sum = {h.even * 65536.0 + l.even, h.odd * 65536.0 + l.odd};
    int16_t *to = c + i / nv * ldc + j * TENON_VL;
    const ptrdiff_t n = g->n - (v + j) * TENON_VL;
    if (away)
      tenon_s16_put(TENON_AWAY, &factor, &limits, sum, n, to);
    else
      tenon_s16_put(TENON_UP, &factor, &limits, sum, n, to);
  }
}

// Outputs from vector v to v_end of each row, as long as there are so many.
TENON_FLAT void tenon_gemm_s16_rows(const int away, const tenon_gemm_s8 *g,
                                    const tenon_walk *w, ptrdiff_t v,
                                    ptrdiff_t v_end, const tenon_rows_s8 *rows,
                                    const char *a, int16_t *c) {
  const ptrdiff_t lda = rows->lda, ldc = rows->ldc;
  int32_t sums[TENON_MR1 * 8 * TENON_VL];
  ptrdiff_t nv, mr;
  for (; v < v_end; v += nv) {
    nv = tenon_tile_columns(rows->m, v_end - v);
    for (ptrdiff_t line = 0; line < rows->lines; ++line) {
      const char *from = a + line * rows->next_a;
      int16_t *to = c + line * rows->next_c + v * TENON_VL;
      for (ptrdiff_t i = 0; i < rows->m; i += mr) {
        mr = tenon_tile_rows(rows->m - i, nv);
        if (!g->scale.is_plain) {
          tenon_tile_s16_deep(away, g, w, mr, nv, v, from + i * lda, lda,
                              to + i * ldc, ldc);
          continue;
        }
        tenon_tile_s8_find(mr, nv)(g, w, v, from + i * lda, lda, sums);
        (away ? tenon_finish_s16_away : tenon_finish_s16_up)(g, v, nv, mr, sums,
                                                             to + i * ldc, ldc);
      }
    }
  }
}

#endif  // TENON_KERN_OPT_TILE_S16_H
