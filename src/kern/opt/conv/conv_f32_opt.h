// kern/opt/conv/conv_f32_opt.h - convolution in floats, straight from the
// image.
//
// Nothing is gathered: with channels last, a row of taps is one run of values,
// so a tile of outputs walks kh runs, its rows at a distance of one stride.
// Taps outside the image are skipped, as the reference kernel does. Outputs
// that have the same taps form rectangles: the inside, and along each border
// lines of as many outputs as taps are apart. Rectangles are tiled along their
// longer side, so borders cost what the inside does, but for the corners. A row
// of pixels stands upright, in blocks like those of rows; its borders, of one
// output each, go several at a time (kern/opt/conv/conv_f32_edge.h).
//
// Groups of channels are convolutions side by side, each with weights of its
// own; there a tap is one run. Narrow ones go several at a time
// (kern/opt/conv/conv_f32_groups.h). First layers, whose pixels have three
// values, go column by column (kern/opt/conv/conv_f32_stem.h).
#ifndef TENON_KERN_OPT_CONV_F32_OPT_H
#define TENON_KERN_OPT_CONV_F32_OPT_H

#include "kern/opt/conv/conv_f32_edge.h"
#include "kern/opt/conv/conv_f32_groups.h"
#include "kern/opt/conv/conv_f32_stem.h"
#include "kern/opt/tiles/items.h"
#include "kern/opt/tiles/row_f32.h"
#include "kern/product/conv.h"

typedef struct tenon_conv_f32 {
  tenon_window g;
  tenon_gemm_f32 gemm;
  ptrdiff_t depth;         // channels that an output reads
  bool is_narrow;          // several groups in a panel
  const float *x;          // the image, from the first of them on
  const int32_t *strides;  // of it; null: it is dense
  float *y;
  ptrdiff_t v, v_end;
} tenon_conv_f32;

typedef void (*tenon_conv_f32_rows_fn)(const tenon_gemm_f32 *,
                                       const tenon_walk *, ptrdiff_t, ptrdiff_t,
                                       ptrdiff_t, const float *, ptrdiff_t,
                                       float *, ptrdiff_t);

#ifndef TENON_HAS_STEM
// n outputs of a row, of vector v, from an image of any strides: such as a
// program has that was made for a machine that reads planes as fast.
TENON_FLAT void tenon_conv_f32_apart(const int n, const tenon_conv_f32 *s,
                                     ptrdiff_t v, tenon_taps ty, tenon_taps tx,
                                     const float *x, float *c) {
  const tenon_window *g = &s->g;
  const int32_t *by = s->strides;
  const ptrdiff_t right = g->right * by[2], depth = s->depth;
  const float *b = s->gemm.weights + v / TENON_VPP * s->gemm.panel +
                   v % TENON_VPP * (ptrdiff_t)TENON_VL;
  tenon_vf acc[4][8];
  TENON_UNROLL
  for (int i = 0; i < n; ++i)
    acc[i][0] = (tenon_vf){0};
  for (ptrdiff_t ky = ty.begin; ky < ty.end; ++ky)
    for (ptrdiff_t kx = tx.begin; kx < tx.end; ++kx) {
      const float *w = b + (ky * g->kw + kx) * depth * TENON_LANES;
      const float *a =
          x + (ty.at + ky * g->dil_y) * by[1] + (tx.at + kx * g->dil_x) * by[2];
      for (ptrdiff_t k = 0; k < depth; ++k, w += TENON_LANES, a += by[3]) {
        const tenon_vf bv = tenon_vf_load(w);
        TENON_UNROLL
        for (int i = 0; i < n; ++i)
          acc[i][0] = tenon_vf_fma(tenon_vf_splat(a[i * right]), bv, acc[i][0]);
      }
    }
  const ptrdiff_t left = s->gemm.n - v * TENON_VL;
  float edge[4 * TENON_VL];
  const bool is_apart = TENON_TILE_IS_SPARE && left < TENON_VL;
  tenon_tile_f32_end(n, 1, &s->gemm, v, acc, is_apart ? edge : c,
                     is_apart ? TENON_VL : g->out_c);
  for (int i = 0; is_apart && i < n; ++i)
    tenon_copy_short(c + i * g->out_c, edge + i * TENON_VL, left);
}

TENON_APART void tenon_conv_f32_strided(const tenon_conv_f32 *s,
                                        ptrdiff_t begin, ptrdiff_t end) {
  const tenon_window *g = &s->g;
  for (ptrdiff_t y = begin; y < end; ++y) {
    const tenon_taps ty = tenon_window_rows(g, y);
    for (ptrdiff_t x = 0, n; x < g->out_w; x += n) {
      const tenon_taps tx = tenon_window_columns(g, x);
      const tenon_taps last = tenon_window_columns(g, x + 3);
      float *c = s->y + (y * g->out_w + x) * g->out_c;
      n = x + 4 <= g->out_w && tx.begin == last.begin && tx.end == last.end &&
                  tx.end - tx.begin == g->kw
              ? 4
              : 1;
      for (ptrdiff_t v = s->v; v < s->v_end; ++v) {
        if (n == 4)
          tenon_conv_f32_apart(4, s, v, ty, tx, s->x, c + v * TENON_VL);
        else
          tenon_conv_f32_apart(1, s, v, ty, tx, s->x, c + v * TENON_VL);
      }
    }
  }
}
#endif

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
#ifdef TENON_HAS_STEM
  const ptrdiff_t n = s->is_narrow ? 0 : tenon_stem_f32_width(g, s->depth);
  if (n) {
    tenon_stem_f32_rows(g, &s->gemm, n, s->x, s->strides, s->y, s->v, s->v_end,
                        begin, end);
    return;
  }
#else
  if (s->strides) {
    tenon_conv_f32_strided(s, begin, end);
    return;
  }
#endif
  const tenon_span rows =
      tenon_span_of(g->out_h, g->down, g->top, g->dil_y, g->kh, g->h);
  const tenon_span columns =
      tenon_span_of(g->out_w, g->right, g->left, g->dil_x, g->kw, g->w);
  const tenon_edge_f32 edge = {g, &s->gemm, s->depth, s->x};
  const bool is_column =
      g->w == 1 && g->kw == 1 && g->out_w == 1 && !g->left && !s->is_narrow;
  for (ptrdiff_t y = begin, y_end; y < end; y = y_end) {
    const tenon_taps ty = tenon_window_rows(g, y);
    y_end = tenon_span_run(rows, y, end);
    while (y_end < end &&
           tenon_conv_f32_is_same(ty, tenon_window_rows(g, y_end)))
      ++y_end;
    if (is_column && y_end - y < TENON_EDGE && y + TENON_EDGE <= end) {
      tenon_edge_f32_rows(&edge, s->v, s->v_end, y, s->y);
      y_end = y + TENON_EDGE;
      continue;
    }
    // What is behind the inside is to fill its tiles.
    const ptrdiff_t lacks = (y_end - end) % TENON_EDGE + TENON_EDGE;
    if (is_column && y_end < end && y_end - y > lacks)
      y_end -= lacks % TENON_EDGE;
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

// Items `i` to `last` of a block, of which each is outputs of one group of
// channels: one item, or such as follow each other.
static void tenon_conv_f32_item(const tenon_call *c, const tenon_conv_f32 *all,
                                ptrdiff_t groups, ptrdiff_t i, ptrdiff_t last,
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
  s.v_end = tenon_group_end(last % parts, channels);
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
  tenon_conv_f32 s;
  s.g = tenon_window_upright(tenon_conv_window(c));
  const tenon_window *g = &s.g;
  const ptrdiff_t groups = (ptrdiff_t)attrs->groups;
  tenon_blocks blocks =
      tenon_blocks_of_groups(g, c->in[0].dims[0], sizeof(float), groups);
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  s.strides = c->in[0].strides;
  const ptrdiff_t image = s.strides ? s.strides[0] : g->h * g->w * g->c;
  s.depth = c->in[1].dims[3];
  s.is_narrow =
      tenon_is_narrow_group(groups, s.depth, groups ? g->out_c / groups : 0);
  const bool is_product = groups == 1 && tenon_is_product(g);
  if (groups == 1)
    tenon_blocks_turn(&blocks, g->kh * g->kw * g->c, is_product ? 1 : g->out_w);
  if (is_product) tenon_blocks_merge(&blocks, g->c * (ptrdiff_t)sizeof(float));
#ifdef TENON_HAS_HALF
  const bool is_short = is_product && s.depth < TENON_SHORT;
#else
  const bool is_short = false;
#endif
  while (begin < end) {
    tenon_work work;
    begin = tenon_blocks_work(&blocks, begin, end, &work);
    s.x = x + work.image * image;
    s.y = y + work.image * g->out_h * g->out_w * g->out_c;
    if (is_product && work.end - work.begin == 1) {
      const tenon_gemm_f32 gemm = tenon_gemm_f32_of(c->packed, g->c, g->out_c);
      tenon_row_f32(&gemm, g->c, tenon_group_begin(work.group),
                    tenon_group_end(work.group_end - 1, g->out_c),
                    s.x + work.begin * g->c, s.y + work.begin * g->out_c);
      continue;
    }
    // Products of short rows go on with the next vectors by themselves, and few
    // of a last group have company so.
    if (is_short && work.group < work.group_end)
      tenon_conv_f32_item(c, &s, groups, work.group, work.group_end - 1, &work);
    for (ptrdiff_t i = work.group; i < work.group_end && !is_short; ++i)
      tenon_conv_f32_item(c, &s, groups, i, i, &work);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_CONV_F32_OPT_H
