// kern/opt/conv/conv_f32_opt.h - convolution in floats, straight from the
// image.
//
// Nothing is gathered: with channels last, a row of taps is one run of values,
// so a tile of outputs walks kh runs, its rows at a distance of one stride.
// Taps outside the image are skipped, as the reference kernel does. Outputs
// that have the same taps form rectangles: the inside, and along each border
// lines of as many outputs as taps are apart. Rectangles are tiled along their
// longer side, so borders cost what the inside does, but for the corners. A row
// of pixels stands upright, in blocks like those of rows.
//
// Groups of channels are convolutions side by side, each with weights of its
// own; there a tap is one run. Narrow ones go several at a time.
#ifndef TENON_KERN_OPT_CONV_F32_OPT_H
#define TENON_KERN_OPT_CONV_F32_OPT_H

#include "kern/opt/tiles/tile_f32.h"
#include "kern/product/conv.h"

// --- Narrow groups -----------------------------------------------------------

// A panel has the outputs of several groups, so weights are packed as if all
// outputs read the same few inputs. What a vector of outputs is multiplied by
// differs from group to group: input i of each group's own, for all lanes of
// that group. Every output is the same chain of sums as in
// kern/opt/tiles/tile_f32.h.

// Rows of a tile, and of those that are left.
#if TENON_VB == 64 || defined(TENON_REGISTERS)
#define TENON_GROUPS_ROWS 8
#else
#define TENON_GROUPS_ROWS 6
#endif
#define TENON_GROUPS_FEW 3

// Lane k of input i of groups of d.
#define TENON_GROUPS_LANE(k, d, i) (((k) / (d) * (d) + (i)) % TENON_VL)
#define TENON_GROUPS_4(k, d, i)                                 \
  TENON_GROUPS_LANE(k, d, i), TENON_GROUPS_LANE((k) + 1, d, i), \
      TENON_GROUPS_LANE((k) + 2, d, i), TENON_GROUPS_LANE((k) + 3, d, i)
#if TENON_VL == 16
#define TENON_GROUPS_LANES(d, i)                                             \
  TENON_GROUPS_4(0, d, i), TENON_GROUPS_4(4, d, i), TENON_GROUPS_4(8, d, i), \
      TENON_GROUPS_4(12, d, i)
#elif TENON_VL == 8
#define TENON_GROUPS_LANES(d, i) \
  TENON_GROUPS_4(0, d, i), TENON_GROUPS_4(4, d, i)
#else
#define TENON_GROUPS_LANES(d, i) TENON_GROUPS_4(0, d, i)
#endif
#if TENON_HAS_BUILTIN(__builtin_shufflevector)
#define TENON_GROUPS_SPREAD(x, d, i) \
  __builtin_shufflevector(x, x, TENON_GROUPS_LANES(d, i))
#else
#define TENON_GROUPS_SPREAD(x, d, i) \
  __builtin_shuffle(x, (tenon_vi){TENON_GROUPS_LANES(d, i)})
#endif
#define TENON_EACH_INPUT(X) \
  X(2, 0)                   \
  X(2, 1)                   \
  X(4, 0)                   \
  X(4, 1)                   \
  X(4, 2)                   \
  X(4, 3) X(8, 0) X(8, 1) X(8, 2) X(8, 3) X(8, 4) X(8, 5) X(8, 6) X(8, 7)

// Input i of each group's d, for all lanes of that group; d, i and `is_part`
// are constants after inlining. `left`: channels from `at` on, of a part of a
// vector.
TENON_FLAT tenon_vf tenon_groups_f32_input(const int d, const int i,
                                           const int is_part, const float *at,
                                           ptrdiff_t left) {
  if (d > TENON_VL) return tenon_vf_splat(at[i]);
  const tenon_vf x = is_part ? tenon_vf_load_part(at, left) : tenon_vf_load(at);
  switch (d * 16 + i) {
#define TENON_INPUT(d, i) \
  case d * 16 + i:        \
    return TENON_GROUPS_SPREAD(x, d, i);
    TENON_EACH_INPUT(TENON_INPUT)
#undef TENON_INPUT
  }
  return x;
}

// What follows the sums of `mr` rows.
TENON_FLAT void tenon_groups_f32_finish(const int mr, const int is_part,
                                        const tenon_gemm_f32 *g, ptrdiff_t v,
                                        tenon_vf *acc, float *c,
                                        ptrdiff_t ldc) {
  const float *at = g->bias + v * TENON_VL;
  const ptrdiff_t left = g->n - v * TENON_VL;
  const tenon_vf lo = tenon_vf_splat(g->lo), hi = tenon_vf_splat(g->hi);
  if (g->scale) {
    TENON_UNROLL
    for (int r = 0; r < mr; ++r)
      acc[r] = (acc[r] + tenon_vf_load(at)) * tenon_vf_load(at + g->scale);
  }
  const tenon_vf last = tenon_vf_load(at + 2 * g->scale);
  TENON_UNROLL
  for (int r = 0; r < mr; ++r) {
    const tenon_vf y = tenon_vf_clamp(acc[r] + last, lo, hi);
    if (is_part)
      tenon_vf_store_part(c + r * ldc, y, left);
    else
      tenon_vf_store(c + r * ldc, y);
  }
}

// `mr` rows at `lda` of groups of d, constants after inlining like `is_part`,
// and the vector of outputs `v`.
TENON_FLAT void tenon_groups_f32_tile(const int mr, const int d,
                                      const int is_part,
                                      const tenon_gemm_f32 *g,
                                      const tenon_walk *w, ptrdiff_t v,
                                      const float *a, ptrdiff_t lda, float *c,
                                      ptrdiff_t ldc) {
  const float *b = g->weights + v / TENON_VPP * g->panel +
                   v % TENON_VPP * (ptrdiff_t)TENON_VL;
  const ptrdiff_t left = g->n - v * TENON_VL;
  tenon_vf acc[TENON_GROUPS_ROWS];
  TENON_UNROLL
  for (int r = 0; r < mr; ++r)
    acc[r] = (tenon_vf){0};
  for (ptrdiff_t y = 0; y < w->ny; ++y) {
    for (ptrdiff_t x = 0; x < w->nx; ++x) {
      const float *bp = b + y * w->b_y + x * w->b_x;
      const float *row[3];
      TENON_UNROLL
      for (int r = 0; r < 3; ++r)
        row[r] = a + y * w->a_y + x * w->a_x + (3 * r < mr ? 3 * r * lda : 0);
      TENON_UNROLL
      for (int i = 0; i < d; ++i) {
        const tenon_vf weight = tenon_vf_load(bp + i * TENON_LANES);
        TENON_UNROLL
        for (int r = 0; r < mr; ++r)
          acc[r] =
              tenon_vf_fma(tenon_groups_f32_input(
                               d, i, is_part, row[r / 3] + r % 3 * lda, left),
                           weight, acc[r]);
      }
    }
  }
  tenon_groups_f32_finish(mr, is_part, g, v, acc, c, ldc);
}

typedef void tenon_groups_f32_fn(const tenon_gemm_f32 *, const tenon_walk *,
                                 ptrdiff_t, const float *, ptrdiff_t, float *,
                                 ptrdiff_t);
// With masks a vector may always be a part of one; else such go a row at a
// time.
#ifdef TENON_HAS_PART
#define TENON_GROUPS_IS_PART 1
#else
#define TENON_GROUPS_IS_PART 0
#endif
#define TENON_EACH_GROUPS_OF(X, d)                   \
  X(all, TENON_GROUPS_ROWS, d, TENON_GROUPS_IS_PART) \
  X(few, TENON_GROUPS_FEW, d, TENON_GROUPS_IS_PART)  \
  X(one, 1, d, 1)
#define TENON_EACH_GROUPS(X) \
  TENON_EACH_GROUPS_OF(X, 2) \
  TENON_EACH_GROUPS_OF(X, 4) TENON_EACH_GROUPS_OF(X, 8)
#define TENON_GROUPS(name, mr, d, is_part)                          \
  TENON_APART void tenon_groups_f32_##name##_##d(                   \
      const tenon_gemm_f32 *g, const tenon_walk *w, ptrdiff_t v,    \
      const float *a, ptrdiff_t lda, float *c, ptrdiff_t ldc) {     \
    tenon_groups_f32_tile(mr, d, is_part, g, w, v, a, lda, c, ldc); \
  }
TENON_EACH_GROUPS(TENON_GROUPS)
#undef TENON_GROUPS

static tenon_groups_f32_fn *tenon_groups_f32_find(ptrdiff_t mr, ptrdiff_t d) {
  switch (mr * 16 + d) {
#define TENON_GROUPS(name, mr, d, is_part) \
  case mr * 16 + d:                        \
    return tenon_groups_f32_##name##_##d;
    TENON_EACH_GROUPS(TENON_GROUPS)
#undef TENON_GROUPS
  }
  return NULL;
}

// As tenon_gemm_f32_rows, of groups of w->len channels. Where the last rows do
// not fill a tile, some are computed once more.
TENON_APART void tenon_groups_f32_rows(const tenon_gemm_f32 *g,
                                       const tenon_walk *w, ptrdiff_t v,
                                       ptrdiff_t v_end, ptrdiff_t m,
                                       const float *a, ptrdiff_t lda, float *c,
                                       ptrdiff_t ldc) {
  for (; v < v_end; ++v) {
    const bool is_split =
        !TENON_GROUPS_IS_PART && g->n - v * TENON_VL < TENON_VL;
    const ptrdiff_t mr = is_split || m < TENON_GROUPS_FEW ? 1
                         : m < TENON_GROUPS_ROWS          ? TENON_GROUPS_FEW
                                                          : TENON_GROUPS_ROWS;
    tenon_groups_f32_fn *tile = tenon_groups_f32_find(mr, w->len);
    const float *from = a + v * TENON_VL / w->len * w->len;
    for (ptrdiff_t i = 0; i < m; i += mr) {
      if (i + mr > m) i = m - mr;
      tile(g, w, v, from + i * lda, lda, c + i * ldc + v * TENON_VL, ldc);
    }
  }
}

// --- All others --------------------------------------------------------------

typedef struct tenon_conv_f32 {
  tenon_window g;
  tenon_gemm_f32 gemm;
  ptrdiff_t depth;  // channels that an output reads
  bool is_narrow;   // several groups in a panel
  const float *x;   // the image, from the first of them on
  float *y;
  ptrdiff_t v, v_end;
} tenon_conv_f32;

typedef void (*tenon_conv_f32_rows_fn)(const tenon_gemm_f32 *,
                                       const tenon_walk *, ptrdiff_t, ptrdiff_t,
                                       ptrdiff_t, const float *, ptrdiff_t,
                                       float *, ptrdiff_t);

// Outputs of rows [y, y_end) and columns [x, x_end), all with the same taps.
static void tenon_conv_f32_rect(const tenon_conv_f32 *s, ptrdiff_t y,
                                ptrdiff_t y_end, ptrdiff_t x, ptrdiff_t x_end) {
  const tenon_window *g = &s->g;
  const tenon_taps ty = tenon_window_rows(g, y);
  const tenon_taps tx = tenon_window_columns(g, x);
  const ptrdiff_t depth = s->depth;
  const bool is_dense = g->dil_x == 1 && depth == g->c;
  const ptrdiff_t taps = tx.end - tx.begin, row = g->w * g->c;
  const ptrdiff_t ny = taps ? ty.end - ty.begin : 0;
  // Taps of a column of pixels are one run as well.
  const bool is_column =
      is_dense && g->w == 1 && g->kw == 1 && g->dil_y == 1 && ny;
  const tenon_walk w = {
      .ny = is_column ? 1 : ny,
      .nx = is_dense ? 1 : taps,
      .len = is_dense ? (is_column ? ny : taps) * depth : depth,
      .a_y = g->dil_y * row,
      .a_x = g->dil_x * g->c,
      .b_y = g->kw * depth * TENON_LANES,
      .b_x = depth * TENON_LANES,
  };
  const float *a = s->x;
  if (w.ny)
    a += (ty.at + ty.begin * g->dil_y) * row +
         (tx.at + tx.begin * g->dil_x) * g->c;
  tenon_gemm_f32 gemm = s->gemm;
  gemm.weights += (ty.begin * g->kw + tx.begin) * depth * TENON_LANES;
  float *c = s->y + (y * g->out_w + x) * g->out_c;
  const ptrdiff_t a_down = w.ny ? g->down * row : 0;
  const ptrdiff_t a_right = w.ny ? g->right * g->c : 0;
  const tenon_conv_f32_rows_fn rows =
      s->is_narrow ? tenon_groups_f32_rows : tenon_gemm_f32_rows;
  if (x_end - x >= y_end - y) {
    for (; y < y_end; ++y, a += a_down, c += g->out_w * g->out_c)
      rows(&gemm, &w, s->v, s->v_end, x_end - x, a, a_right, c, g->out_c);
  } else {
    for (; x < x_end; ++x, a += a_right, c += g->out_c)
      rows(&gemm, &w, s->v, s->v_end, y_end - y, a, a_down, c,
           g->out_w * g->out_c);
  }
}

TENON_INLINE bool tenon_conv_f32_is_same(tenon_taps a, tenon_taps b) {
  return a.begin == b.begin && a.end == b.end;
}

static void tenon_conv_f32_rows(const tenon_conv_f32 *s, ptrdiff_t begin,
                                ptrdiff_t end) {
  const tenon_window *g = &s->g;
  const tenon_span rows =
      tenon_span_of(g->out_h, g->down, g->top, g->dil_y, g->kh, g->h);
  const tenon_span columns =
      tenon_span_of(g->out_w, g->right, g->left, g->dil_x, g->kw, g->w);
  for (ptrdiff_t y = begin, y_end; y < end; y = y_end) {
    const tenon_taps ty = tenon_window_rows(g, y);
    y_end = tenon_span_run(rows, y, end);
    while (y_end < end &&
           tenon_conv_f32_is_same(ty, tenon_window_rows(g, y_end)))
      ++y_end;
    for (ptrdiff_t x = 0, x_end; x < g->out_w; x = x_end) {
      const tenon_taps tx = tenon_window_columns(g, x);
      x_end = tenon_span_run(columns, x, g->out_w);
      while (x_end < g->out_w &&
             tenon_conv_f32_is_same(tx, tenon_window_columns(g, x_end)))
        ++x_end;
      tenon_conv_f32_rect(s, y, y_end, x, x_end);
    }
  }
}

// Item `i` of a block: outputs of one group of channels.
static void tenon_conv_f32_item(const tenon_call *c, const tenon_conv_f32 *all,
                                ptrdiff_t groups, ptrdiff_t i,
                                const tenon_work *work) {
  const tenon_window *g = &all->g;
  if (all->is_narrow) groups = 1;  // as they are packed
  const ptrdiff_t channels = g->out_c / groups;
  const ptrdiff_t parts = (channels + TENON_GROUP - 1) / TENON_GROUP;
  const ptrdiff_t group = i / parts;
  const ptrdiff_t panels = tenon_round_up(channels, TENON_LANES);
  tenon_conv_f32 s = *all;
  s.gemm = tenon_gemm_f32_of(c->packed, g->kh * g->kw * s.depth, channels);
  const ptrdiff_t own =
      group * (panels * (1 + g->kh * g->kw * s.depth) + 2 * s.gemm.scale);
  s.gemm.bias += own;
  s.gemm.weights += own;
  s.x += group * s.depth;
  s.y += group * channels;
  s.v = tenon_group_begin(i % parts);
  s.v_end = tenon_group_end(i % parts, channels);
  if (s.depth == g->c && tenon_is_product(g)) {
    tenon_product_f32(&s.gemm, g->c, s.v, s.v_end, work->end - work->begin,
                      s.x + work->begin * g->c, s.y + work->begin * g->out_c);
    return;
  }
  // Each rectangle goes through all weights of its channels: of no more than
  // stay in the second-level cache.
  const ptrdiff_t end = s.v_end;
  const ptrdiff_t some = s.gemm.panel > TENON_DEEP ? 2 * TENON_VPP : end - s.v;
  for (; s.v < end; s.v += some) {
    s.v_end = s.v + some < end ? s.v + some : end;
    tenon_conv_f32_rows(&s, work->begin, work->end);
  }
}

TENON_INLINE tenon_status tenon_conv_f32_run(const tenon_call *c, int64_t begin,
                                             int64_t end) {
  const tenon_conv_attrs *attrs = (const tenon_conv_attrs *)c->attrs;
  const int32_t *w_dims = c->in[1].dims;
  tenon_conv_f32 s;
  s.g = tenon_window_upright(tenon_window_of(
      &c->in[0], &c->out[0], w_dims[1], w_dims[2], attrs->stride.data,
      attrs->pad.data, attrs->dilation.data));
  const tenon_window *g = &s.g;
  const ptrdiff_t groups = (ptrdiff_t)attrs->groups;
  tenon_blocks blocks =
      tenon_blocks_of_groups(g, c->in[0].dims[0], sizeof(float), groups);
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  s.depth = w_dims[3];
  s.is_narrow =
      tenon_is_narrow_group(groups, s.depth, groups ? g->out_c / groups : 0);
  if (groups == 1 && tenon_is_product(g)) tenon_blocks_turn(&blocks, g->c);
  while (begin < end) {
    tenon_work work;
    begin = tenon_blocks_work(&blocks, begin, end, &work);
    s.x = x + work.image * g->h * g->w * g->c;
    s.y = y + work.image * g->out_h * g->out_w * g->out_c;
    for (ptrdiff_t i = work.group; i < work.group_end; ++i)
      tenon_conv_f32_item(c, &s, groups, i, &work);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_CONV_F32_OPT_H
