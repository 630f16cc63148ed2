// kern/opt/conv/depthwise_conv_f32_opt.h - depthwise convolution in floats,
// channels in lanes, straight from the image.
//
// Windows of 3, 5, 7 and 9 columns: seven, five or four outputs of a row by one
// vector of channels or two are accumulated at once, column by column of the
// image, each of which is loaded once for all outputs that read it; a column
// outside the image is skipped for all of them. Where there are 32 registers of
// 512 bits, windows of 3 by 3 do so for two rows at once, be they one or two
// apart, and four outputs of four rows where rows are long. Other windows:
// inside, four outputs, tap by tap, and along the borders, where every output
// lacks other taps, one output by four vectors. Taps outside the image are
// skipped, as the reference kernel does. The last vector of channels overlaps
// the one before; where there are fewer channels than lanes, a vector has
// several pixels (kern/opt/conv/depthwise_conv_f32_narrow.h) or reads the
// neighbour's besides, and at the end of the image only what is there.
#ifndef TENON_KERN_OPT_DEPTHWISE_CONV_F32_OPT_H
#define TENON_KERN_OPT_DEPTHWISE_CONV_F32_OPT_H

#include "kern/opt/conv/depthwise_conv_f32_strips.h"

typedef void tenon_depthwise_f32_fn(const tenon_depthwise_f32 *, ptrdiff_t,
                                    ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t);
#define TENON_EACH_DEPTHWISE_F32(X) \
  X(7, 3, 1)                        \
  X(7, 3, 2)                        \
  X(7, 5, 1)                        \
  X(7, 5, 2)                        \
  X(7, 7, 1) X(4, 3, 1) X(4, 3, 2) X(4, 5, 1) X(4, 7, 1) X(4, 9, 1) X(5, 3, 1)
#define TENON_DEPTHWISE(n, kw, right)                                    \
  TENON_APART void tenon_depthwise_f32_blocks_##n##_##kw##_##right(      \
      const tenon_depthwise_f32 *s, ptrdiff_t y, ptrdiff_t from,         \
      ptrdiff_t end, ptrdiff_t q, ptrdiff_t q_end) {                     \
    tenon_depthwise_f32_blocks(n, kw, right, s, y, from, end, q, q_end); \
  }
TENON_EACH_DEPTHWISE_F32(TENON_DEPTHWISE)
#undef TENON_DEPTHWISE

// Outputs of a row that are done at once.
static ptrdiff_t tenon_depthwise_f32_across_of(const tenon_window *g) {
  const bool is_five = g->out_w % 5 == 0 && g->kw == 3 && g->right == 1;
  return g->out_w % 7 == 0 ? 7 : is_five ? 5 : 4;
}

// For rows of `width` outputs at least, n of them at once, else null: those go
// tap by tap.
static tenon_depthwise_f32_fn *tenon_depthwise_f32_find(
    const tenon_depthwise_f32 *s, ptrdiff_t n, ptrdiff_t width) {
  const tenon_window *g = &s->g;
  if (s->times != 1 || g->out_c < TENON_VL || width < n || g->dil_x != 1 ||
      g->kw > 9 || g->right > 2)
    return NULL;
  switch (n * 100 + g->kw * 10 + g->right) {
#define TENON_DEPTHWISE(n, kw, right) \
  case n * 100 + kw * 10 + right:     \
    return tenon_depthwise_f32_blocks_##n##_##kw##_##right;
    TENON_EACH_DEPTHWISE_F32(TENON_DEPTHWISE)
#undef TENON_DEPTHWISE
  }
  return NULL;
}

#define TENON_DEPTHWISE(kh, kw, one)                                       \
  TENON_APART void tenon_depthwise_f32_##kh##_##kw##_##one(                \
      const tenon_depthwise_f32 *s, ptrdiff_t y, ptrdiff_t q, ptrdiff_t x, \
      ptrdiff_t x_end) {                                                   \
    tenon_depthwise_f32_inside(kh, kw, one, s, y, q, x, x_end);            \
  }
TENON_DEPTHWISE(0, 0, 0)
TENON_DEPTHWISE(0, 0, 1)
TENON_DEPTHWISE(3, 3, 0)
#undef TENON_DEPTHWISE

// How many outputs of row y, from x_end backwards, vectors of channels from 0
// on would be read past the end of the images for, because they lack channels.
static ptrdiff_t tenon_depthwise_f32_unsafe(const tenon_depthwise_f32 *s,
                                            tenon_taps ty, ptrdiff_t x,
                                            ptrdiff_t x_end) {
  const tenon_window *g = &s->g;
  const ptrdiff_t last = ty.at + (ty.end - 1) * g->dil_y;
  ptrdiff_t n = 0;
  for (; x_end - n > x; ++n) {
    const ptrdiff_t column =
        (x_end - n - 1) * g->right - g->left + (g->kw - 1) * g->dil_x;
    if (s->end - s->x - (last * g->w + column) * g->c >= TENON_VL) break;
  }
  return n;
}

// Outputs `from` to `end` tap by tap; `narrow`: or null.
static void tenon_depthwise_f32_row(const tenon_depthwise_f32 *s,
                                    const tenon_narrow_f32 *narrow,
                                    tenon_span inside, ptrdiff_t y,
                                    ptrdiff_t from, ptrdiff_t end) {
  const tenon_window *g = &s->g;
  const tenon_taps ty = tenon_window_rows(g, y);
  if (inside.begin < from) inside.begin = from;
  if (inside.begin > end) inside.begin = end;
  if (inside.end > end) inside.end = end;
  if (inside.end < inside.begin) inside.end = inside.begin;
  const ptrdiff_t floats = (inside.end - inside.begin) * g->c;
  if (narrow && floats >= TENON_VL) {
    tenon_depthwise_f32_border(s, y, from, inside.begin);
    tenon_depthwise_f32_border(s, y, inside.end, end);
    tenon_narrow_f32_row(
        narrow, ty.begin, ty.end - ty.begin,
        s->x + ((ty.at + ty.begin * g->dil_y) * g->w + inside.begin - g->left) *
                   g->c,
        s->y + (y * g->out_w + inside.begin) * g->c, floats);
    return;
  }
  const ptrdiff_t taps = (ty.end - ty.begin) * 16 + g->kw;
  const bool is_one = s->times > 1 && g->c == 1;
  if (g->out_c < TENON_VL && !is_one)
    inside.end -= tenon_depthwise_f32_unsafe(s, ty, inside.begin, inside.end);
  if (inside.end - inside.begin < 4 || (s->times > 1 && !is_one))
    inside.end = inside.begin;
  tenon_depthwise_f32_border(s, y, from, inside.begin);
  tenon_depthwise_f32_border(s, y, inside.end, end);
  for (ptrdiff_t q = 0; q < g->out_c && inside.begin < inside.end;
       q += TENON_VL) {
    const ptrdiff_t at =
        q + TENON_VL > g->out_c && q > 0 ? g->out_c - TENON_VL : q;
    if (is_one)
      tenon_depthwise_f32_0_0_1(s, y, at, inside.begin, inside.end);
    else if (taps == 3 * 16 + 3)
      tenon_depthwise_f32_3_3_0(s, y, at, inside.begin, inside.end);
    else
      tenon_depthwise_f32_0_0_0(s, y, at, inside.begin, inside.end);
  }
}

#if TENON_VB == 64
// Of `left` rows from y on how many go together; *is_strip: as a strip.
static ptrdiff_t tenon_depthwise_f32_at_once(const tenon_window *g, ptrdiff_t y,
                                             ptrdiff_t left, bool *is_strip) {
  ptrdiff_t m = g->out_h - y < left ? g->out_h - y : left;
  *is_strip = tenon_strip_f32_fits(g, y, m);
  if (*is_strip) return m;
  for (m = 4; m > 1; m /= 2)
    if (m <= left && tenon_depthwise_f32_is_pair(g, y, m)) break;
  return m;
}
#endif

// Outputs `from` to `end` of rows `row` to `row_end` of all images.
TENON_INLINE void tenon_depthwise_f32_rows(const tenon_call *c, ptrdiff_t row,
                                           ptrdiff_t row_end, ptrdiff_t from,
                                           ptrdiff_t end) {
  const tenon_packed_f32 *head = (const tenon_packed_f32 *)c->packed;
  tenon_depthwise_f32 s;
  s.g = tenon_conv_window(c);
  const tenon_window *g = &s.g;
  s.np = tenon_round_up(g->out_c, TENON_LANES);
  s.bias = (const float *)(head + 1);
  s.is_scaled = head->is_scaled != 0;
  s.weights = s.bias + (s.is_scaled ? 3 : 1) * s.np;
  s.times = g->c ? g->out_c / g->c : 1;
  s.lo = head->lo;
  s.hi = head->hi;
  const float *x = (const float *)c->in[0].data;
  s.end = x + tenon_count(&c->in[0]);
  const tenon_span inside =
      tenon_span_of(g->out_w, g->right, g->left, g->dil_x, g->kw, g->w);
  const ptrdiff_t across = tenon_depthwise_f32_across_of(g);
  tenon_depthwise_f32_fn *blocks =
      tenon_depthwise_f32_find(&s, across, end - from);
  tenon_narrow_f32 narrow;
  const bool is_narrow = tenon_narrow_f32_fits(g);
  if (is_narrow)
    tenon_narrow_f32_of(g, s.is_scaled, s.bias, s.weights, s.np, &narrow);
  narrow.lo = s.lo;
  narrow.hi = s.hi;
  // With a stride, where large windows go along long rows, and where rows are
  // short, some channels of all rows, then the next: rows that several rows of
  // outputs read stay in the first-level cache. Others are faster in the order
  // of memory, short rows with longer pieces of it.
  const bool is_parted = g->right > 1 || (g->kh > 3 && g->out_w > 16);
  const ptrdiff_t some = !blocks          ? g->out_c
                         : is_parted      ? (ptrdiff_t)TENON_GROUP
                         : g->out_w <= 16 ? 2 * (ptrdiff_t)TENON_GROUP
                                          : g->out_c;
  const ptrdiff_t taps = g->kh * g->kw, rows = row_end - row;
  for (ptrdiff_t q = 0; q < g->out_c; q += some) {
    const ptrdiff_t q_end = q + some < g->out_c ? q + some : g->out_c;
    for (ptrdiff_t i = row, m; i < row_end; i += m) {
      const ptrdiff_t image = i / g->out_h, y = i % g->out_h;
      m = 1;
#if TENON_VB == 64
      bool is_strip = false;
      if (blocks && end - from == g->out_w)
        m = tenon_depthwise_f32_at_once(g, y, row_end - i, &is_strip);
#endif
      const ptrdiff_t tap = (i - row) * taps / rows;
      s.fetch = s.weights + some + tap * s.np;
      s.fetches = q_end < g->out_c ? (i + m - row) * taps / rows - tap : 0;
      s.x = x + image * g->h * g->w * g->c;
      s.y = (float *)c->out[0].data + image * g->out_h * g->out_w * g->out_c;
#if TENON_VB == 64
      if (is_strip) {
        tenon_strip_f32_rows(&s, m, across, y, q, q_end);
        continue;
      }
      if (m > 1) {
        tenon_depthwise_f32_pairs(&s, m, across, y, q, q_end);
        continue;
      }
#endif
      if (blocks)
        blocks(&s, y, from, end, q, q_end);
      else
        tenon_depthwise_f32_row(&s, is_narrow ? &narrow : NULL, inside, y, from,
                                end);
    }
  }
}

// Items are rows, or parts of the only one.
TENON_INLINE tenon_status tenon_depthwise_conv_f32_run(const tenon_call *c,
                                                       int64_t begin,
                                                       int64_t end) {
  const int32_t *d = c->out[0].dims;
  const ptrdiff_t from = (ptrdiff_t)begin, to = (ptrdiff_t)end;
  if (tenon_depthwise_f32_is_cut(c))
    tenon_depthwise_f32_rows(
        c, 0, 1, from * TENON_DEPTHWISE_PART,
        to * TENON_DEPTHWISE_PART < d[2] ? to * TENON_DEPTHWISE_PART : d[2]);
  else
    tenon_depthwise_f32_rows(c, from, to, 0, d[2]);
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_DEPTHWISE_CONV_F32_OPT_H
