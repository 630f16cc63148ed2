// kern/opt/conv/depthwise_conv_f32_strips.h - windows of three rows and columns
// down an image; part of depthwise_conv_f32_opt.h.
//
// Several outputs of a row and all below them: each row of the image is loaded
// once for the three rows of outputs that read it, and nothing begins or ends
// between rows, so that loads run far ahead of the sums. Every output is the
// chain of sums that it is elsewhere.
#ifndef TENON_KERN_OPT_DEPTHWISE_CONV_F32_STRIPS_H
#define TENON_KERN_OPT_DEPTHWISE_CONV_F32_STRIPS_H

#include "kern/opt/conv/depthwise_conv_f32_blocks.h"

#if TENON_VB == 64
// What the rows of a strip have in common.
typedef struct tenon_strip_f32 {
  ptrdiff_t c, out_c;  // floats from a column, an output
  bool is_scaled;
  tenon_vf w[9], bias, scale, shift, lo, hi;
} tenon_strip_f32;

enum { TENON_STRIP_MOST = 7 };

// Adds columns in .. in_end of a row of the image to n outputs each of three
// rows: it is row 0, 1 and 2 of their windows; null: of none. All but `a` are
// constants after inlining.
TENON_FLAT void tenon_strip_f32_row(const int n, const int in, const int in_end,
                                    const tenon_strip_f32 *s, const float *a,
                                    tenon_vf *of_0, tenon_vf *of_1,
                                    tenon_vf *of_2) {
  const ptrdiff_t c = s->c;
  const float *const column[3] = {a, a + 3 * c, a + 6 * c};
  TENON_UNROLL
  for (int j = in; j < in_end; ++j) {
    tenon_vf x = tenon_vf_load(column[j / 3] + j % 3 * c);
    TENON_SETTLE(x);
    TENON_UNROLL
    for (int i = 0; i < n; ++i) {
      const int k = j - i;
      if (k < 0 || k >= 3) continue;
      if (of_2) of_2[i] = tenon_vf_fma(x, s->w[6 + k], of_2[i]);
      if (of_1) of_1[i] = tenon_vf_fma(x, s->w[3 + k], of_1[i]);
      if (of_0) of_0[i] = tenon_vf_fma(x, s->w[k], of_0[i]);
    }
  }
}

TENON_FLAT void tenon_strip_f32_put(const int n, const tenon_strip_f32 *s,
                                    tenon_vf *acc, float *to) {
  TENON_UNROLL
  for (int i = 0; i < n; ++i) {
    if (s->is_scaled) acc[i] = (acc[i] + s->bias) * s->scale;
    tenon_vf_store(to + i * s->out_c,
                   tenon_vf_clamp(acc[i] + s->shift, s->lo, s->hi));
  }
}

TENON_FLAT void tenon_strip_f32_copy(const int n, tenon_vf *to,
                                     const tenon_vf *from) {
  TENON_UNROLL
  for (int i = 0; i < n; ++i)
    to[i] = from ? from[i] : (tenon_vf){0};
}

// n outputs each of `rows` rows, at least two, as
// tenon_depthwise_f32_pair has them; x, y and z are sums of those that a row of
// the image is the last, second and first row for.
TENON_FLAT void tenon_strip_f32_down(
    const int n, const int in, const int in_end, const tenon_depthwise_line *l,
    const float *a, const float *weights, const float *bias, float *to,
    ptrdiff_t down, ptrdiff_t rows, int lacks) {
  tenon_vf x[TENON_STRIP_MOST], y[TENON_STRIP_MOST], z[TENON_STRIP_MOST];
  tenon_strip_f32 s = {.c = l->c, .out_c = l->out_c};
  const ptrdiff_t row = l->row;
  TENON_UNROLL
  for (int k = 0; k < 9; ++k)
    s.w[k] = tenon_vf_load(weights + k * l->np);
  s.is_scaled = l->scale != 0;
  s.bias = tenon_vf_load(bias);
  s.scale = tenon_vf_load(bias + l->scale);
  s.shift = tenon_vf_load(bias + 2 * l->scale);
  s.lo = tenon_vf_splat(l->lo);
  s.hi = tenon_vf_splat(l->hi);
  tenon_strip_f32_copy(n, x, NULL);
  if (!(lacks & 1)) tenon_strip_f32_row(n, in, in_end, &s, a, x, NULL, NULL);
  a += row;
  tenon_strip_f32_copy(n, y, NULL);
  tenon_strip_f32_row(n, in, in_end, &s, a, y, x, NULL);
  for (a += row; rows > 2; --rows, a += row, to += down) {
    tenon_strip_f32_copy(n, z, NULL);
    tenon_strip_f32_row(n, in, in_end, &s, a, z, y, x);
    tenon_strip_f32_put(n, &s, x, to);
    tenon_strip_f32_copy(n, x, y);
    tenon_strip_f32_copy(n, y, z);
  }
  tenon_strip_f32_row(n, in, in_end, &s, a, NULL, y, x);
  tenon_strip_f32_put(n, &s, x, to);
  if (!(lacks & 2))
    tenon_strip_f32_row(n, in, in_end, &s, a + row, NULL, NULL, y);
  tenon_strip_f32_put(n, &s, y, to + down);
}

typedef void tenon_strip_fn(const tenon_depthwise_line *, const float *,
                            const float *, const float *, float *, ptrdiff_t,
                            ptrdiff_t, int);
// Apart, with constants, as pairs are.
#define TENON_STRIP_ROW(n) \
  TENON_STRIP(n, 0, 0)     \
  TENON_STRIP(n, 0, 1) TENON_STRIP(n, 1, 0) TENON_STRIP(n, 1, 1)
#define TENON_STRIP(n, left, right)                                        \
  TENON_APART void tenon_strip_f32_##n##_##left##_##right(                 \
      const tenon_depthwise_line *s, const float *a, const float *weights, \
      const float *bias, float *to, ptrdiff_t down, ptrdiff_t rows,        \
      int lacks) {                                                         \
    tenon_strip_f32_down(n, left, n + 2 - right, s, a, weights, bias, to,  \
                         down, rows, lacks);                               \
  }
TENON_STRIP_ROW(4)
TENON_STRIP_ROW(5)
TENON_STRIP_ROW(7)
#undef TENON_STRIP
#define TENON_STRIP(n, left, right) tenon_strip_f32_##n##_##left##_##right,
static tenon_strip_fn *const tenon_strip_f32_of[8][4] = {
    [4] = {TENON_STRIP_ROW(4)},
    [5] = {TENON_STRIP_ROW(5)},
    [7] = {TENON_STRIP_ROW(7)}};
#undef TENON_STRIP
#undef TENON_STRIP_ROW

// Whether m rows from y on are done so. Columns that are multiples of 512 bytes
// lie in few sets of a cache, where rows of a strip would drive each other out,
// and few long rows are faster in the order of memory.
TENON_INLINE bool tenon_strip_f32_fits(const tenon_window *g, ptrdiff_t y,
                                       ptrdiff_t m) {
  return m > 1 && (m >= 16 || g->out_w <= 64) && g->right == 1 &&
         g->c % (8 * TENON_VL) != 0 && tenon_depthwise_f32_is_pair(g, y, 2) &&
         tenon_depthwise_f32_is_pair(g, y + m - 2, 2);
}

// m rows from y on, of at least n outputs.
TENON_APART void tenon_strip_f32_rows(const tenon_depthwise_f32 *s, ptrdiff_t m,
                                      ptrdiff_t n, ptrdiff_t y, ptrdiff_t q,
                                      ptrdiff_t q_end) {
  const tenon_window *g = &s->g;
  const ptrdiff_t most = g->out_c - TENON_VL, down = g->out_w * g->out_c;
  const tenon_depthwise_line r = {
      g->c,  g->w * g->c, s->np, g->out_c, 3, s->is_scaled ? s->np : 0,
      s->lo, s->hi};
  const ptrdiff_t above = y - g->top;
  const int lacks = (above < 0) + 2 * (above + m + 2 > g->h);
  for (ptrdiff_t x = 0; x < g->out_w; x += n) {
    if (x + n > g->out_w) x = g->out_w - n;  // some once more
    const ptrdiff_t first = x - g->left;
    const int sides = (first < 0) * 2 + (first + n + 2 > g->w);
    tenon_strip_fn *strip = tenon_strip_f32_of[n][sides];
    const float *a = s->x + (above * g->w + first) * g->c;
    float *to = s->y + y * down + x * g->out_c;
    for (ptrdiff_t k = q; k < q_end; k += TENON_VL) {
      const ptrdiff_t i = k > most ? most : k;
      if (x == 0) tenon_depthwise_f32_fetch(s, i);
      strip(&r, a + i, s->weights + i, s->bias + i, to + i, down, m, lacks);
    }
  }
}
#endif

#endif  // TENON_KERN_OPT_DEPTHWISE_CONV_F32_STRIPS_H
