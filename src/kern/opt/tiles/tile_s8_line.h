// kern/opt/tiles/tile_s8_line.h - products of rows of int8 with packed weights
// whose sums become bytes by what packing has proven of all channels.
//
// The same as tile_s8.h, but without what only other sums need. A processor
// looks ahead by a few hundred instructions: what stands between the products
// of one tile and those of the next is time in which it does not multiply.
#ifndef TENON_KERN_OPT_TILE_S8_LINE_H
#define TENON_KERN_OPT_TILE_S8_LINE_H

#include "kern/opt/tiles/tile_s8_few.h"

#ifdef TENON_HAS_LINE_TILES

// `mr` rows from `a` on, in one run of values for each row of taps.
TENON_FLAT void tenon_line_tile_run(const int form, const int mr, const int nv,
                                    const tenon_line_tile *t, const char *a,
                                    int8_t *c) {
  tenon_vi acc[TENON_LINE_ROWS][2];
  const int8_t *b = t->weights;
  const ptrdiff_t lda = t->lda, panel = t->panel;
  TENON_UNROLL
  for (int j = 0; j < nv; ++j) {
    const tenon_vi bias = tenon_vi_load(t->bias + j * TENON_VL);
    TENON_UNROLL
    for (int i = 0; i < mr; ++i)
      acc[i][j] = bias;
  }
  for (ptrdiff_t y = t->ny; y > 0; --y, a += t->a_y) {
    const char *row[6];
    TENON_UNROLL
    for (int i = 0; i < 6; ++i)
      row[i] = a + (3 * i < mr ? 3 * i * lda : 0);
    for (ptrdiff_t p = t->len; p > 0; --p) {
      tenon_vi bv[2];
      TENON_UNROLL
      for (int j = 0; j < nv; ++j)
        bv[j] = tenon_wgt_load(b + j * panel);
      TENON_UNROLL
      for (int i = 0; i < mr; ++i) {
        const tenon_vi one = tenon_act_splat(row[i / 3] + i % 3 * lda);
        TENON_UNROLL
        for (int j = 0; j < nv; ++j)
          acc[i][j] = tenon_vi_tile_dot(acc[i][j], one, bv[j]);
      }
      b += TENON_LANES * TENON_TILE_GROUP;
      TENON_UNROLL
      for (int i = 0; 3 * i < mr; ++i)
        row[i] += TENON_TILE_BYTES;
    }
  }
  tenon_line_tile_bytes(form, mr, nv, t, acc, c);
}

// Three taps side by side, rows a pixel apart (tenon_tile_s8_sum_taps).
TENON_FLAT void tenon_line_tile_taps(const int form, const int mr,
                                     const tenon_line_tile *t, const char *a,
                                     int8_t *c) {
  const ptrdiff_t group = TENON_LANES * TENON_TILE_GROUP;
  tenon_vi acc[TENON_LINE_ROWS][2];
  const int8_t *b = t->weights;
  const ptrdiff_t lda = t->lda, tap = t->len / 3 * group;
  const tenon_vi bias = tenon_vi_load(t->bias);
  TENON_UNROLL
  for (int i = 0; i < mr; ++i)
    acc[i][0] = bias;
  for (ptrdiff_t y = t->ny; y > 0; --y, a += t->a_y, b += 2 * tap) {
    const char *row[6];
    TENON_UNROLL
    for (int i = 0; i < 6; ++i)
      row[i] = a + (3 * i < mr + 2 ? 3 * i * lda : 0);
    for (const int8_t *end = b + tap; b < end; b += group) {
      const tenon_vi taps[3] = {tenon_wgt_load(b), tenon_wgt_load(b + tap),
                                tenon_wgt_load(b + 2 * tap)};
      tenon_vi one[TENON_LINE_ROWS + 2];
      TENON_UNROLL
      for (int i = 0; i < mr + 4; ++i) {
        if (i < mr + 2) one[i] = tenon_act_splat(row[i / 3] + i % 3 * lda);
        TENON_UNROLL
        for (int k = 0; k < 3; ++k) {
          const int r = i - 2 * k;
          if (r >= 0 && r < mr)
            acc[r][0] = tenon_vi_tile_dot(acc[r][0], one[r + k], taps[k]);
        }
      }
      TENON_UNROLL
      for (int i = 0; 3 * i < mr + 2; ++i)
        row[i] += TENON_TILE_BYTES;
    }
  }
  tenon_line_tile_bytes(form, mr, 1, t, acc, c);
}

#define TENON_EACH_LINE_ROWS2(X) \
  X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12)
#define TENON_EACH_LINE_ROWS(X) TENON_EACH_LINE_ROWS2(X) X(13) X(14) X(15) X(16)

typedef void tenon_line_tile_fn(const tenon_line_tile *, const char *,
                                int8_t *);
#define TENON_LINE_TILE(name, mr, ...)                                  \
  TENON_APART void tenon_line_##name##_##mr(const tenon_line_tile *t,   \
                                            const char *a, int8_t *c) { \
    __VA_ARGS__;                                                        \
  }
#define TENON_TILE(mr)                                                      \
  TENON_LINE_TILE(straight, mr,                                             \
                  tenon_line_tile_run(TENON_LINE_STRAIGHT, mr, 1, t, a, c)) \
  TENON_LINE_TILE(split, mr,                                                \
                  tenon_line_tile_run(TENON_LINE_SPLIT, mr, 1, t, a, c))    \
  TENON_LINE_TILE(straight_taps, mr,                                        \
                  tenon_line_tile_taps(TENON_LINE_STRAIGHT, mr, t, a, c))   \
  TENON_LINE_TILE(split_taps, mr,                                           \
                  tenon_line_tile_taps(TENON_LINE_SPLIT, mr, t, a, c))
TENON_EACH_LINE_ROWS(TENON_TILE)
#undef TENON_TILE
#define TENON_TILE(mr)                                                      \
  TENON_LINE_TILE(straight_two, mr,                                         \
                  tenon_line_tile_run(TENON_LINE_STRAIGHT, mr, 2, t, a, c)) \
  TENON_LINE_TILE(split_two, mr,                                            \
                  tenon_line_tile_run(TENON_LINE_SPLIT, mr, 2, t, a, c))
TENON_EACH_LINE_ROWS2(TENON_TILE)
#undef TENON_TILE

TENON_APART tenon_line_tile_fn *tenon_line_tile_find(ptrdiff_t mr, bool is_two,
                                                     bool is_split,
                                                     bool has_taps) {
#define TENON_TILE(mr)                                 \
  case mr:                                             \
    if (has_taps)                                      \
      return is_split ? tenon_line_split_taps_##mr     \
                      : tenon_line_straight_taps_##mr; \
    return is_split ? tenon_line_split_##mr : tenon_line_straight_##mr;
#define TENON_TILE2(mr) \
  case mr:              \
    return is_split ? tenon_line_split_two_##mr : tenon_line_straight_two_##mr;
  if (is_two) {
    switch (mr) { TENON_EACH_LINE_ROWS2(TENON_TILE2) }
  } else {
    switch (mr) { TENON_EACH_LINE_ROWS(TENON_TILE) }
  }
#undef TENON_TILE
#undef TENON_TILE2
  return NULL;
}

// As tenon_gemm_s8_rows (tile_s8.h). A row is cut into tiles of one size and
// what is left.
TENON_APART void tenon_line_s8_rows(const tenon_gemm_s8 *g, const tenon_walk *w,
                                    ptrdiff_t v, ptrdiff_t v_end,
                                    const tenon_rows_s8 *rows, const char *a,
                                    int8_t *c) {
  const ptrdiff_t m = rows->m, lda = rows->lda, ldc = rows->ldc;
  const bool is_split = g->scale.form == TENON_LINE_SPLIT;
  tenon_line_tile t = {.panel = g->panel,
                       .step = g->scale.shift - g->scale.mult,
                       .ny = w->ny,
                       .len = w->len,
                       .a_y = w->a_y,
                       .lda = lda,
                       .ldc = ldc,
                       .height = rows->lines,
                       .next_a = rows->next_a,
                       .next_c = rows->next_c};
  ptrdiff_t nv;
  for (; m > 0 && v < v_end; v += nv) {
    nv = v_end - v >= 2 ? 2 : 1;
    const bool is_nine =
        nv == 1 && w->ny == 3 && w->len == 3 && m >= TENON_LINE_NINE;
    const ptrdiff_t most = nv == 1 ? TENON_LINE_ROWS : TENON_LINE_ROWS2;
    const ptrdiff_t tiles = (m + most - 1) / most;
    const bool is_point = w->ny == 1 && (w->len == 2 || w->len == 4) &&
                          m >= TENON_LINE_POINT / nv;
    const ptrdiff_t mr = is_nine    ? TENON_LINE_NINE
                         : is_point ? TENON_LINE_POINT / nv
                                    : (m + tiles - 1) / tiles;
    const ptrdiff_t whole = m / mr * mr;
    const bool is_two = nv == 2, has_taps = nv == 1 && w->shared;
    tenon_line_tile_fn *tile =
        tenon_line_tile_find(mr, is_two, is_split, has_taps);
    tenon_line_tile_fn *last =
        tenon_line_tile_find(m - whole, is_two, is_split, has_taps);
    t.weights = g->weights + v * g->panel;
    t.bias = g->bias + v * TENON_VL;
    t.lines = g->scale.lines + v * TENON_VL;
    t.n = g->n - v * TENON_VL < nv * TENON_VL ? g->n - v * TENON_VL
                                              : nv * TENON_VL;
    const char *from = a;
    int8_t *to = c + v * TENON_VL;
    const bool has_few = is_nine || is_point;
    if (is_nine)
      (w->is_three && (lda == 3 || lda == 6)
           ? tenon_line_three
           : tenon_line_nine)(is_split, &t, from, to, whole / mr);
    if (is_point)
      (is_split ? tenon_line_point_split : tenon_line_point_straight)(
          is_two, w->len == 2, &t, from, to, whole / mr);
    for (ptrdiff_t line = 0; line < rows->lines && (!has_few || last); ++line) {
      for (ptrdiff_t i = 0; !has_few && i < whole; i += mr)
        tile(&t, from + i * lda, to + i * ldc);
      if (last) last(&t, from + whole * lda, to + whole * ldc);
      from += rows->next_a;
      to += rows->next_c;
    }
  }
}
#endif

#endif  // TENON_KERN_OPT_TILE_S8_LINE_H
