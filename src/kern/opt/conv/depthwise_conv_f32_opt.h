// kern/opt/conv/depthwise_conv_f32_opt.h - depthwise convolution in floats,
// channels in lanes, straight from the image.
//
// Windows of 3, 5, 7 and 9 columns: seven, five or four outputs of a row by one
// vector of channels or two are accumulated at once, column by column of the
// image, each of which is loaded once for all outputs that read it; a column
// outside the image is skipped for all of them. Where there are 32 registers of
// 512 bits, windows of 3 by 3 do so for two rows at once. Other windows:
// inside, four outputs, tap by tap, and along the borders, where every output
// lacks other taps, one output by four vectors. Taps outside the image are
// skipped, as the reference kernel does. The last vector of channels overlaps
// the one before; where there are fewer channels than lanes, a vector has
// several pixels (kern/opt/conv/depthwise_conv_f32_narrow.h) or reads the
// neighbour's besides, and at the end of the image only what is there.
#ifndef TENON_KERN_OPT_DEPTHWISE_CONV_F32_OPT_H
#define TENON_KERN_OPT_DEPTHWISE_CONV_F32_OPT_H

#include "kern/opt/conv/depthwise_conv_f32_narrow.h"
#include "kern/opt/tiles/items.h"
#include "kern/opt/tiles/tiles.h"

typedef struct tenon_depthwise_f32 {
  tenon_window g;
  const float *bias, *weights;
  ptrdiff_t np;          // channels, filled up
  bool is_scaled;        // scale and shift stand behind the bias
  ptrdiff_t times;       // outputs of an input channel
  const float *x, *end;  // the image; the end of all images
  float *y;
  float lo, hi;
} tenon_depthwise_f32;

// A vector of the input for outputs from channel q on, which may not exist.
TENON_FLAT tenon_vf tenon_depthwise_f32_some(const tenon_depthwise_f32 *s,
                                             const float *pixel, ptrdiff_t q) {
  float lanes[TENON_VL];
  if (s->times == 1) {
    if (s->end - pixel >= q + TENON_VL) return tenon_vf_load(pixel + q);
    memset(lanes, 0, sizeof lanes);
    tenon_copy_short(lanes, pixel + q, s->end - pixel - q);
    return tenon_vf_load(lanes);
  }
  if (s->g.c == 1) return tenon_vf_splat(*pixel);
  // Two outputs of each: some inputs, each twice.
  if (s->times == 2 && q + TENON_VL <= s->g.out_c) {
    const float *from = pixel + q / 2;
    TENON_UNROLL
    for (ptrdiff_t i = 0; i < TENON_VL; ++i)
      lanes[i] = from[i / 2];
    return tenon_vf_load(lanes);
  }
  for (ptrdiff_t i = 0; i < TENON_VL; ++i)
    lanes[i] = q + i < s->g.out_c ? pixel[(q + i) / s->times] : 0.0f;
  return tenon_vf_load(lanes);
}

// What is done to a finished sum of channels q on. By value: a store may change
// what lies behind a pointer.
typedef struct tenon_depthwise_post {
  tenon_vf bias, scale, shift, lo, hi;
  bool is_scaled;
  ptrdiff_t n;  // channels from q on
} tenon_depthwise_post;

TENON_FLAT tenon_depthwise_post
tenon_depthwise_post_of(const tenon_depthwise_f32 *s, ptrdiff_t q) {
  tenon_depthwise_post p;
  p.bias = p.scale = p.shift = tenon_vf_load(s->bias + q);
  p.is_scaled = s->is_scaled;
  if (s->is_scaled) {
    p.scale = tenon_vf_load(s->bias + s->np + q);
    p.shift = tenon_vf_load(s->bias + 2 * s->np + q);
  }
  p.lo = tenon_vf_splat(s->lo);
  p.hi = tenon_vf_splat(s->hi);
  p.n = s->g.out_c - q;
  return p;
}

TENON_FLAT void tenon_depthwise_f32_put(const tenon_depthwise_post *p, float *y,
                                        tenon_vf acc) {
  acc = acc + p->bias;
  if (p->is_scaled) acc = acc * p->scale + p->shift;
  acc = tenon_vf_clamp(acc, p->lo, p->hi);
  if (p->n >= TENON_VL) {
    tenon_vf_store(y, acc);
  } else {
    float lanes[TENON_VL];
    tenon_vf_store(lanes, acc);
    tenon_copy_short(y, lanes, p->n);
  }
}

// One output, `nv` vectors of channels from q on; nv is a constant after
// inlining, 4 or 1. Only the latter takes channels that do not fill a vector.
TENON_FLAT void tenon_depthwise_f32_pixel(const int nv,
                                          const tenon_depthwise_f32 *s,
                                          tenon_taps ty, tenon_taps tx,
                                          ptrdiff_t q, float *to) {
  const tenon_window *g = &s->g;
  const float *a = s->x + q;
  const float *w = s->weights + q;
  tenon_vf acc[4] = {{0}, {0}, {0}, {0}};
  for (ptrdiff_t ky = ty.begin; ky < ty.end; ++ky) {
    for (ptrdiff_t kx = tx.begin; kx < tx.end; ++kx) {
      const ptrdiff_t tap = (ky * g->kw + kx) * s->np;
      const ptrdiff_t pixel =
          ((ty.at + ky * g->dil_y) * g->w + tx.at + kx * g->dil_x) * g->c;
      TENON_UNROLL
      for (int j = 0; j < nv; ++j)
        acc[j] =
            tenon_vf_fma(nv > 1 ? tenon_vf_load(a + pixel + j * TENON_VL)
                                : tenon_depthwise_f32_some(s, s->x + pixel, q),
                         tenon_vf_load(w + tap + j * TENON_VL), acc[j]);
    }
  }
  TENON_UNROLL
  for (int j = 0; j < nv; ++j) {
    const tenon_depthwise_post post =
        tenon_depthwise_post_of(s, q + j * TENON_VL);
    tenon_depthwise_f32_put(&post, to + q + j * TENON_VL, acc[j]);
  }
}

// Outputs x to x_end of row y, one by one.
TENON_APART void tenon_depthwise_f32_border(const tenon_depthwise_f32 *s,
                                            ptrdiff_t y, ptrdiff_t x,
                                            ptrdiff_t x_end) {
  const tenon_window *g = &s->g;
  const tenon_taps ty = tenon_window_rows(g, y);
  for (; x < x_end; ++x) {
    const tenon_taps tx = tenon_window_columns(g, x);
    float *to = s->y + (y * g->out_w + x) * g->out_c;
    ptrdiff_t q = 0;
    for (; s->times == 1 && q + 4 * TENON_VL <= g->out_c; q += 4 * TENON_VL)
      tenon_depthwise_f32_pixel(4, s, ty, tx, q, to);
    for (; q < g->out_c; q += TENON_VL)
      tenon_depthwise_f32_pixel(1, s, ty, tx, q, to);
  }
}

// Outputs x to x_end of row y, at least four, all of whose columns are in the
// image; kh and kw are constants after inlining, or 0, and so is `one`: there
// is a single input channel, for all outputs.
TENON_FLAT void tenon_depthwise_f32_inside(const int kh, const int kw,
                                           const int one,
                                           const tenon_depthwise_f32 *s,
                                           ptrdiff_t y, ptrdiff_t q,
                                           ptrdiff_t x, ptrdiff_t x_end) {
  const tenon_window *g = &s->g;
  const tenon_taps ty = tenon_window_rows(g, y);
  const ptrdiff_t np = s->np, out_c = g->out_c, step = g->right * g->c;
  const ptrdiff_t row = g->dil_y * g->w * g->c, tap = g->dil_x * g->c;
  const ptrdiff_t rows = ty.end - ty.begin, columns = kw ? kw : g->kw;
  const float *weights = s->weights + ty.begin * columns * np + q;
  const float *first = s->x + (ty.at + ty.begin * g->dil_y) * g->w * g->c -
                       g->left * g->c + (one ? 0 : q);
  float *to = s->y + y * g->out_w * out_c + q;
  const tenon_depthwise_post post = tenon_depthwise_post_of(s, q);
  for (; x < x_end; x += 4) {
    if (x + 4 > x_end) x = x_end - 4;  // some once more
    const float *a = first + x * step;
    tenon_vf acc[4] = {{0}, {0}, {0}, {0}};
    if (kh) {
      TENON_UNROLL
      for (int ky = 0; ky < kh; ++ky) {
        TENON_UNROLL
        for (int kx = 0; kx < kw; ++kx) {
          const tenon_vf w = tenon_vf_load(weights + (ky * kw + kx) * np);
          TENON_UNROLL
          for (int i = 0; i < 4; ++i)
            acc[i] = tenon_vf_fma(
                tenon_vf_load(a + ky * row + kx * tap + i * step), w, acc[i]);
        }
      }
    } else {
      for (ptrdiff_t ky = 0; ky < rows; ++ky) {
        for (ptrdiff_t kx = 0; kx < columns; ++kx) {
          const tenon_vf w = tenon_vf_load(weights + (ky * columns + kx) * np);
          const float *at = a + ky * row + kx * tap;
          TENON_UNROLL
          for (int i = 0; i < 4; ++i)
            acc[i] = tenon_vf_fma(one ? tenon_vf_splat(at[i * step])
                                      : tenon_vf_load(at + i * step),
                                  w, acc[i]);
        }
      }
    }
    TENON_UNROLL
    for (int i = 0; i < 4; ++i)
      tenon_depthwise_f32_put(&post, to + (x + i) * out_c, acc[i]);
  }
}

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
        const tenon_vf x =
            tenon_vf_load(column[j / 3] + j % 3 * c + v * TENON_VL);
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
// and columns, all rows of which are in the image: a column of it is loaded
// once for both, and so are weights. Those of columns in .. in_end are inside;
// all three are constants after inlining. `down`: floats between the rows.
TENON_FLAT void tenon_depthwise_f32_pair(const int n, const int in,
                                         const int in_end,
                                         const tenon_depthwise_line *s,
                                         const float *a, const float *weights,
                                         const float *bias, float *to,
                                         ptrdiff_t down) {
  const ptrdiff_t c = s->c, row = s->row, np = s->np, out_c = s->out_c;
  const float *column[3];
  tenon_vf acc[14], w[9];
  TENON_UNROLL
  for (int i = 0; i < 2 * n; ++i)
    acc[i] = (tenon_vf){0};
  TENON_UNROLL
  for (int k = 0; k < 9; ++k)
    w[k] = tenon_vf_load(weights + k * np);
  TENON_UNROLL
  for (int k = 0; k < 3; ++k)
    column[k] = a + 3 * k * c;
  TENON_UNROLL
  for (int y = 0; y < 4; ++y) {
    TENON_UNROLL
    for (int j = in; j < in_end; ++j) {
      const tenon_vf x = tenon_vf_load(column[j / 3] + j % 3 * c);
      TENON_UNROLL
      for (int i = 0; i < n; ++i) {
        if (j - i < 0 || j - i >= 3) continue;
        if (y < 3) acc[i] = tenon_vf_fma(x, w[y * 3 + j - i], acc[i]);
        if (y > 0)
          acc[n + i] = tenon_vf_fma(x, w[y * 3 - 3 + j - i], acc[n + i]);
      }
    }
    TENON_UNROLL
    for (int k = 0; k < 3; ++k)
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

typedef void tenon_depthwise_pair_fn(const tenon_depthwise_line *,
                                     const float *, const float *,
                                     const float *, float *, ptrdiff_t);
// Apart, with constants: otherwise registers are spilled. `left`, `right`: a
// column on that side is outside.
#define TENON_PAIR_ROW(n) \
  TENON_PAIR(n, 0, 0)     \
  TENON_PAIR(n, 0, 1) TENON_PAIR(n, 1, 0) TENON_PAIR(n, 1, 1)
#define TENON_PAIR(n, left, right)                                            \
  TENON_APART void tenon_depthwise_f32_pair_##n##_##left##_##right(           \
      const tenon_depthwise_line *s, const float *a, const float *weights,    \
      const float *bias, float *to, ptrdiff_t down) {                         \
    tenon_depthwise_f32_pair(n, left, n + 2 - right, s, a, weights, bias, to, \
                             down);                                           \
  }
TENON_PAIR_ROW(4)
TENON_PAIR_ROW(5)
TENON_PAIR_ROW(7)
#undef TENON_PAIR
#define TENON_PAIR(n, left, right) \
  tenon_depthwise_f32_pair_##n##_##left##_##right,
static tenon_depthwise_pair_fn *const tenon_depthwise_f32_pairs_of[8][4] = {
    [4] = {TENON_PAIR_ROW(4)},
    [5] = {TENON_PAIR_ROW(5)},
    [7] = {TENON_PAIR_ROW(7)}};
#undef TENON_PAIR
#undef TENON_PAIR_ROW

// Whether row y and the next can be done by pairs.
TENON_INLINE bool tenon_depthwise_f32_is_pair(const tenon_window *g,
                                              ptrdiff_t y) {
  return g->kh == 3 && g->kw == 3 && g->down == 1 && g->right == 1 &&
         g->dil_y == 1 && g->left <= 1 && g->out_w + 1 - g->left <= g->w &&
         y >= g->top && y + 1 < g->out_h && y + 3 - g->top < g->h;
}

// Rows y and y + 1, of at least n outputs.
TENON_APART void tenon_depthwise_f32_pairs(const tenon_depthwise_f32 *s,
                                           ptrdiff_t n, ptrdiff_t y,
                                           ptrdiff_t q, ptrdiff_t q_end) {
  const tenon_window *g = &s->g;
  const ptrdiff_t most = g->out_c - TENON_VL, down = g->out_w * g->out_c;
  const tenon_depthwise_line r = {
      g->c,  g->w * g->c, s->np, g->out_c, 3, s->is_scaled ? s->np : 0,
      s->lo, s->hi};
  for (ptrdiff_t x = 0; x < g->out_w; x += n) {
    if (x + n > g->out_w) x = g->out_w - n;  // some once more
    const ptrdiff_t first = x - g->left;
    tenon_depthwise_pair_fn *pair =
        tenon_depthwise_f32_pairs_of[n]
                                    [(first < 0) * 2 + (first + n + 2 > g->w)];
    const float *a = s->x + ((y - g->top) * g->w + first) * g->c;
    float *to = s->y + y * down + x * g->out_c;
    for (ptrdiff_t k = q; k < q_end; k += TENON_VL) {
      const ptrdiff_t i = k > most ? most : k;
      pair(&r, a + i, s->weights + i, s->bias + i, to + i, down);
    }
  }
}
#endif

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

// Outputs `from` to `end` of rows `row` to `row_end` of all images.
TENON_INLINE void tenon_depthwise_f32_rows(const tenon_call *c, ptrdiff_t row,
                                           ptrdiff_t row_end, ptrdiff_t from,
                                           ptrdiff_t end) {
  const tenon_depthwise_conv_attrs *attrs =
      (const tenon_depthwise_conv_attrs *)c->attrs;
  const tenon_packed_f32 *head = (const tenon_packed_f32 *)c->packed;
  const int32_t *w_dims = c->in[1].dims;
  tenon_depthwise_f32 s;
  s.g = tenon_window_of(&c->in[0], &c->out[0], w_dims[1], w_dims[2],
                        attrs->stride.data, attrs->pad.data,
                        attrs->dilation.data);
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
  // Some channels of all rows, then the next: rows that several rows of outputs
  // read stay in the first-level cache.
  for (ptrdiff_t q = 0; q < g->out_c; q += blocks ? TENON_GROUP : g->out_c) {
    const ptrdiff_t q_end =
        q + TENON_GROUP < g->out_c ? q + TENON_GROUP : g->out_c;
    for (ptrdiff_t i = row; i < row_end; ++i) {
      const ptrdiff_t image = i / g->out_h;
      s.x = x + image * g->h * g->w * g->c;
      s.y = (float *)c->out[0].data + image * g->out_h * g->out_w * g->out_c;
#if TENON_VB == 64
      if (blocks && i + 1 < row_end && end - from == g->out_w &&
          tenon_depthwise_f32_is_pair(g, i % g->out_h)) {
        tenon_depthwise_f32_pairs(&s, across, i % g->out_h, q, q_end);
        ++i;
        continue;
      }
#endif
      if (blocks)
        blocks(&s, i % g->out_h, from, end, q, q_end);
      else
        tenon_depthwise_f32_row(&s, is_narrow ? &narrow : NULL, inside,
                                i % g->out_h, from, end);
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
