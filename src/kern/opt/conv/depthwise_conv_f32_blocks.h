// kern/opt/conv/depthwise_conv_f32_blocks.h - several outputs of a row, or of
// two, column by column of the image; part of depthwise_conv_f32_opt.h.
#ifndef TENON_KERN_OPT_DEPTHWISE_CONV_F32_BLOCKS_H
#define TENON_KERN_OPT_DEPTHWISE_CONV_F32_BLOCKS_H

#include "kern/opt/conv/depthwise_conv_f32_taps.h"

// What blocks of a row have in common.
typedef struct tenon_depthwise_line {
  ptrdiff_t c, row, np, out_c;  // floats from a column, a row, a tap, an output
  ptrdiff_t taps;               // rows of taps
  ptrdiff_t scale;              // floats from bias to scale, or 0
  float lo, hi;
} tenon_depthwise_line;

// n outputs of `nv` vectors of channels; n, nv, kw and the stride `right` are
// constants after inlining, and `whole`: no column is outside the image. Else
// those from `in` to `in_end` are inside. A column of taps begins at `a`, which
// may lie outside. Columns are addressed from a pointer per three of them.
TENON_FLAT void tenon_depthwise_f32_block(
    const int n, const int nv, const int kw, const int right, const int whole,
    const tenon_depthwise_line *s, ptrdiff_t in, ptrdiff_t in_end,
    const float *a, const float *weights, const float *bias, float *to) {
  const ptrdiff_t c = s->c, row = s->row, np = s->np, out_c = s->out_c;
  const float *column[6];
  tenon_vf acc[7][2];
  TENON_UNROLL
  for (int i = 0; i < n; ++i) {
    TENON_UNROLL
    for (int v = 0; v < nv; ++v)
      acc[i][v] = (tenon_vf){0};
  }
  TENON_UNROLL
  for (int k = 0; k < 6; ++k)
    column[k] = a + 3 * k * c;
  for (ptrdiff_t ky = s->taps; ky > 0; --ky) {
    tenon_vf w[9][2];
    TENON_UNROLL
    for (int k = 0; k < kw; ++k) {
      TENON_UNROLL
      for (int v = 0; v < nv; ++v)
        w[k][v] = tenon_vf_load(weights + k * np + v * TENON_VL);
    }
    weights += kw * np;
    TENON_UNROLL
    for (int j = 0; j < (n - 1) * right + kw; ++j) {
      if (!whole && (j < in || j >= in_end)) continue;
      TENON_UNROLL
      for (int v = 0; v < nv; ++v) {
        tenon_vf x = tenon_vf_load(column[j / 3] + j % 3 * c + v * TENON_VL);
        // Where few outputs read it, gcc would load it for each of them.
        if (right > 1) TENON_SETTLE(x);
        TENON_UNROLL
        for (int i = 0; i < n; ++i)
          if (j - i * right >= 0 && j - i * right < kw)
            acc[i][v] = tenon_vf_fma(x, w[j - i * right][v], acc[i][v]);
      }
    }
    TENON_UNROLL
    for (int k = 0; k < 6; ++k)
      column[k] += row;
  }
  const tenon_vf lo = tenon_vf_splat(s->lo), hi = tenon_vf_splat(s->hi);
  TENON_UNROLL
  for (int v = 0; v < nv; ++v, bias += TENON_VL) {
    tenon_vf last = tenon_vf_load(bias);
    if (s->scale) {
      const tenon_vf scale = tenon_vf_load(bias + s->scale);
      TENON_UNROLL
      for (int i = 0; i < n; ++i)
        acc[i][v] = (acc[i][v] + last) * scale;
      last = tenon_vf_load(bias + 2 * s->scale);
    }
    TENON_UNROLL
    for (int i = 0; i < n; ++i)
      tenon_vf_store(to + i * out_c + v * TENON_VL,
                     tenon_vf_clamp(acc[i][v] + last, lo, hi));
  }
}

// Outputs from `x` on.
TENON_FLAT void tenon_depthwise_f32_across(const int n, const int kw,
                                           const int right, const int whole,
                                           const tenon_depthwise_line *s,
                                           ptrdiff_t in, ptrdiff_t in_end,
                                           const float *a, const float *weights,
                                           const float *bias, float *to,
                                           ptrdiff_t q, ptrdiff_t q_end) {
  const ptrdiff_t most = s->out_c - TENON_VL;
  // Two at a time where taps are many and registers too: three taps are faster
  // by one.
  for (; TENON_VB == 64 && kw > 3 && kw < 9 && q + 2 * TENON_VL <= q_end &&
         q + TENON_VL <= most;
       q += 2 * TENON_VL)
    tenon_depthwise_f32_block(n, 2, kw, right, whole, s, in, in_end, a + q,
                              weights + q, bias + q, to + q);
  for (; q < q_end; q += TENON_VL) {
    const ptrdiff_t i = q > most ? most : q;
    tenon_depthwise_f32_block(n, 1, kw, right, whole, s, in, in_end, a + i,
                              weights + i, bias + i, to + i);
  }
}

// Outputs `from` to `end` of row y, at least n, for channels q to q_end.
TENON_FLAT void tenon_depthwise_f32_blocks(
    const int n, const int kw, const int right, const tenon_depthwise_f32 *s,
    ptrdiff_t y, ptrdiff_t from, ptrdiff_t end, ptrdiff_t q, ptrdiff_t q_end) {
  const tenon_window *g = &s->g;
  const tenon_taps ty = tenon_window_rows(g, y);
  const tenon_depthwise_line r = {
      g->c,
      g->dil_y * g->w * g->c,
      s->np,
      g->out_c,
      ty.end - ty.begin,
      s->is_scaled ? s->np : 0,
      s->lo,
      s->hi,
  };
  const float *weights = s->weights + ty.begin * kw * s->np;
  const float *a = s->x + (ty.at + ty.begin * g->dil_y) * g->w * g->c;
  float *to = s->y + y * g->out_w * g->out_c;
  for (ptrdiff_t i = q; i < q_end && s->fetches; i += TENON_VL)
    tenon_depthwise_f32_fetch(s, i);
  for (ptrdiff_t x = from; x < end; x += n) {
    if (x + n > end) x = end - n;  // some once more
    const ptrdiff_t first = x * right - g->left;
    const ptrdiff_t in = -first, in_end = g->w - first;
    if (in <= 0 && in_end >= (n - 1) * right + kw)
      tenon_depthwise_f32_across(n, kw, right, 1, &r, in, in_end,
                                 a + first * g->c, weights, s->bias,
                                 to + x * g->out_c, q, q_end);
    else
      tenon_depthwise_f32_across(n, kw, right, 0, &r, in, in_end,
                                 a + first * g->c, weights, s->bias,
                                 to + x * g->out_c, q, q_end);
  }
}

#if TENON_VB == 64
// n outputs each of two rows, one below the other, for windows of three rows
// and columns, `right` apart both ways: a column of the image is loaded once
// for both, and so are weights. Those of columns in .. in_end are inside; all
// four are constants after inlining. Of the rows the first may be above the
// image (`lacks` & 1) and the last below it (2). `down`: floats between the
// rows of outputs.
TENON_FLAT void tenon_depthwise_f32_pair(const int n, const int right,
                                         const int in, const int in_end,
                                         const tenon_depthwise_line *s,
                                         const float *a, const float *weights,
                                         const float *bias, float *to,
                                         ptrdiff_t down, int lacks) {
  const int columns = (n - 1) * right + 3;
  const ptrdiff_t c = s->c, row = s->row, np = s->np, out_c = s->out_c;
  const float *column[5];
  tenon_vf acc[14], w[9];
  TENON_UNROLL
  for (int i = 0; i < 2 * n; ++i)
    acc[i] = (tenon_vf){0};
  TENON_UNROLL
  for (int k = 0; k < 9; ++k)
    w[k] = tenon_vf_load(weights + k * np);
  TENON_UNROLL
  for (int k = 0; k < (columns + 2) / 3; ++k)
    column[k] = a + 3 * k * c;
  TENON_UNROLL
  for (int y = 0; y < 3 + right; ++y) {
    const bool is_outside =
        (y == 0 && (lacks & 1)) || (y == 2 + right && (lacks & 2));
    if (!is_outside) {
      TENON_UNROLL
      for (int j = in; j < in_end; ++j) {
        tenon_vf x = tenon_vf_load(column[j / 3] + j % 3 * c);
        if (right > 1) TENON_SETTLE(x);
        TENON_UNROLL
        for (int i = 0; i < n; ++i) {
          const int k = j - i * right;
          if (k < 0 || k >= 3) continue;
          if (y < 3) acc[i] = tenon_vf_fma(x, w[y * 3 + k], acc[i]);
          if (y >= right)
            acc[n + i] = tenon_vf_fma(x, w[(y - right) * 3 + k], acc[n + i]);
        }
      }
    }
    TENON_UNROLL
    for (int k = 0; k < (columns + 2) / 3; ++k)
      column[k] += row;
  }
  const tenon_vf lo = tenon_vf_splat(s->lo), hi = tenon_vf_splat(s->hi);
  tenon_vf last = tenon_vf_load(bias);
  if (s->scale) {
    const tenon_vf scale = tenon_vf_load(bias + s->scale);
    TENON_UNROLL
    for (int i = 0; i < 2 * n; ++i)
      acc[i] = (acc[i] + last) * scale;
    last = tenon_vf_load(bias + 2 * s->scale);
  }
  TENON_UNROLL
  for (int i = 0; i < 2 * n; ++i)
    tenon_vf_store(to + i / n * down + i % n * out_c,
                   tenon_vf_clamp(acc[i] + last, lo, hi));
}

// The same for four outputs each of four rows: three quarters of the loads from
// where the image lies, as two rows of six are read again and not two of four.
TENON_FLAT void tenon_depthwise_f32_quad(const int right, const int in,
                                         const int in_end,
                                         const tenon_depthwise_line *s,
                                         const float *a, const float *weights,
                                         const float *bias, float *to,
                                         ptrdiff_t down, int lacks) {
  const int rows = 3 * right + 3;
  const ptrdiff_t c = s->c, row = s->row, np = s->np, out_c = s->out_c;
  tenon_vf acc[16], w[9];
  TENON_UNROLL
  for (int i = 0; i < 16; ++i)
    acc[i] = (tenon_vf){0};
  TENON_UNROLL
  for (int k = 0; k < 9; ++k)
    w[k] = tenon_vf_load(weights + k * np);
  TENON_UNROLL
  for (int y = 0; y < rows; ++y) {
    const bool is_outside =
        (y == 0 && (lacks & 1)) || (y == rows - 1 && (lacks & 2));
    if (!is_outside) {
      TENON_UNROLL
      for (int j = in; j < in_end; ++j) {
        tenon_vf x = tenon_vf_load(a + j * c);
        TENON_SETTLE(x);
        TENON_UNROLL
        for (int i = 0; i < 16; ++i) {
          const int kx = j - i % 4 * right, ky = y - i / 4 * right;
          if (kx >= 0 && kx < 3 && ky >= 0 && ky < 3)
            acc[i] = tenon_vf_fma(x, w[ky * 3 + kx], acc[i]);
        }
      }
    }
    a += row;
    TENON_SETTLE_POINTER(a);
  }
  const tenon_vf lo = tenon_vf_splat(s->lo), hi = tenon_vf_splat(s->hi);
  tenon_vf last = tenon_vf_load(bias);
  if (s->scale) {
    const tenon_vf scale = tenon_vf_load(bias + s->scale);
    TENON_UNROLL
    for (int i = 0; i < 16; ++i)
      acc[i] = (acc[i] + last) * scale;
    last = tenon_vf_load(bias + 2 * s->scale);
  }
  TENON_UNROLL
  for (int i = 0; i < 16; ++i) {
    tenon_vf_store(to + i % 4 * out_c, tenon_vf_clamp(acc[i] + last, lo, hi));
    if (i % 4 == 3) {
      to += down;
      TENON_SETTLE_POINTER(to);
    }
  }
}

typedef void tenon_depthwise_pair_fn(const tenon_depthwise_line *,
                                     const float *, const float *,
                                     const float *, float *, ptrdiff_t, int);
// Apart, with constants: otherwise registers are spilled. `left`, `right`: a
// column on that side is outside.
#define TENON_PAIR_ROW(n, by) \
  TENON_PAIR(n, by, 0, 0)     \
  TENON_PAIR(n, by, 0, 1) TENON_PAIR(n, by, 1, 0) TENON_PAIR(n, by, 1, 1)
#define TENON_PAIR(n, by, left, right)                                     \
  TENON_APART void tenon_depthwise_f32_pair_##n##_##by##_##left##_##right( \
      const tenon_depthwise_line *s, const float *a, const float *weights, \
      const float *bias, float *to, ptrdiff_t down, int lacks) {           \
    tenon_depthwise_f32_pair(n, by, left, (n - 1) * by + 3 - right, s, a,  \
                             weights, bias, to, down, lacks);              \
  }
TENON_PAIR_ROW(4, 1)
TENON_PAIR_ROW(5, 1)
TENON_PAIR_ROW(7, 1)
TENON_PAIR_ROW(4, 2)
TENON_PAIR_ROW(7, 2)
#undef TENON_PAIR
#define TENON_PAIR(n, by, left, right) \
  tenon_depthwise_f32_pair_##n##_##by##_##left##_##right,
static tenon_depthwise_pair_fn *const tenon_depthwise_f32_pairs_of[2][8][4] = {
    {[4] = {TENON_PAIR_ROW(4, 1)},
     [5] = {TENON_PAIR_ROW(5, 1)},
     [7] = {TENON_PAIR_ROW(7, 1)}},
    {[4] = {TENON_PAIR_ROW(4, 2)}, [7] = {TENON_PAIR_ROW(7, 2)}}};
#undef TENON_PAIR
#define TENON_PAIR(n, by, left, right)                                     \
  TENON_APART void tenon_depthwise_f32_quad_##by##_##left##_##right(       \
      const tenon_depthwise_line *s, const float *a, const float *weights, \
      const float *bias, float *to, ptrdiff_t down, int lacks) {           \
    tenon_depthwise_f32_quad(by, left, 3 * by + 3 - right, s, a, weights,  \
                             bias, to, down, lacks);                       \
  }
TENON_PAIR_ROW(4, 1)
TENON_PAIR_ROW(4, 2)
#undef TENON_PAIR
#define TENON_PAIR(n, by, left, right) \
  tenon_depthwise_f32_quad_##by##_##left##_##right,
static tenon_depthwise_pair_fn *const tenon_depthwise_f32_quads_of[2][4] = {
    {TENON_PAIR_ROW(4, 1)}, {TENON_PAIR_ROW(4, 2)}};
#undef TENON_PAIR
#undef TENON_PAIR_ROW

// Whether m rows from y on, two or four, can be done at once. Short rows are no
// multiples of four outputs.
TENON_INLINE bool tenon_depthwise_f32_is_pair(const tenon_window *g,
                                              ptrdiff_t y, ptrdiff_t m) {
  const ptrdiff_t by = g->right;
  return g->kh == 3 && g->kw == 3 && g->down == by && by <= 2 &&
         g->dil_y == 1 && g->left <= 1 &&
         (g->out_w - 1) * by + 2 - g->left <= g->w && y * by + 1 >= g->top &&
         y + m <= g->out_h && (y + m - 1) * by + 2 - g->top <= g->h &&
         (m < 4 || g->out_w >= (by > 1 ? 14 : 28));
}

// m rows from y on, two or four, of at least n outputs.
TENON_APART void tenon_depthwise_f32_pairs(const tenon_depthwise_f32 *s,
                                           ptrdiff_t m, ptrdiff_t n,
                                           ptrdiff_t y, ptrdiff_t q,
                                           ptrdiff_t q_end) {
  const tenon_window *g = &s->g;
  const ptrdiff_t most = g->out_c - TENON_VL, down = g->out_w * g->out_c;
  const ptrdiff_t by = g->right;
  const tenon_depthwise_line r = {
      g->c,  g->w * g->c, s->np, g->out_c, 3, s->is_scaled ? s->np : 0,
      s->lo, s->hi};
  const ptrdiff_t above = y * by - g->top;
  const int lacks = (above < 0) + 2 * (above + (m - 1) * by + 3 > g->h);
  if (m == 4) n = 4;
  for (ptrdiff_t x = 0; x < g->out_w; x += n) {
    if (x + n > g->out_w) x = g->out_w - n;  // some once more
    const ptrdiff_t first = x * by - g->left;
    const int sides = (first < 0) * 2 + (first + (n - 1) * by + 3 > g->w);
    tenon_depthwise_pair_fn *pair =
        m == 4 ? tenon_depthwise_f32_quads_of[by - 1][sides]
               : tenon_depthwise_f32_pairs_of[by - 1][n][sides];
    const float *a = s->x + (above * g->w + first) * g->c;
    float *to = s->y + y * down + x * g->out_c;
    for (ptrdiff_t k = q; k < q_end; k += TENON_VL) {
      const ptrdiff_t i = k > most ? most : k;
      if (x == 0) tenon_depthwise_f32_fetch(s, i);
      pair(&r, a + i, s->weights + i, s->bias + i, to + i, down, lacks);
    }
  }
}
#endif

#endif  // TENON_KERN_OPT_DEPTHWISE_CONV_F32_BLOCKS_H
