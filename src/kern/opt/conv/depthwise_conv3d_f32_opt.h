// kern/opt/conv/depthwise_conv3d_f32_opt.h - depthwise convolution of volumes
// of floats, channels in lanes, straight from the volume.
//
// As images (depthwise_conv_f32_opt.h): several outputs of a row by a register
// of channels are accumulated at once, column by column of the rows that their
// windows read, which lie in several planes; columns, rows and planes outside
// are skipped, as the reference kernel does. Other windows, short rows and
// channels that fill no register: one output after the other.
#ifndef TENON_KERN_OPT_DEPTHWISE_CONV3D_F32_OPT_H
#define TENON_KERN_OPT_DEPTHWISE_CONV3D_F32_OPT_H

#include "kern/op/clamp.h"
#include "kern/opt/tiles/tiles.h"
#include "kern/product/volume.h"

typedef struct tenon_deep_f32 {
  const tenon_call *call;
  const float *bias, *weights;
  ptrdiff_t np, c, w, out_w;         // channels, filled up; sizes
  ptrdiff_t kw, right, left, dil_x;  // along a row
  ptrdiff_t row, plane, lost;        // floats to the next row of taps; from the
                                     // last of a plane to the next's first, of
                                     // the volume and of weights
  ptrdiff_t planes, rows;            // of taps that are inside
  ptrdiff_t scale;                   // floats from bias to scale, or 0
  float lo, hi;
} tenon_deep_f32;

TENON_FLAT tenon_vf tenon_deep_f32_end(const tenon_deep_f32 *s,
                                       const float *bias, tenon_vf acc) {
  acc = acc + tenon_vf_load(bias);
  if (s->scale)
    acc = acc * tenon_vf_load(bias + s->scale) +
          tenon_vf_load(bias + 2 * s->scale);
  return tenon_vf_clamp(acc, tenon_vf_splat(s->lo), tenon_vf_splat(s->hi));
}

// n outputs of a register of channels; n, kw, the stride `right` and what
// columns are inside, `in` to `in_end`, are constants after inlining. The first
// column of taps begins at `a`, which may lie outside. Columns are addressed
// from a pointer per three of them.
TENON_FLAT void tenon_deep_f32_block(const int n, const int kw, const int right,
                                     const int in, const int in_end,
                                     const tenon_deep_f32 *s, const float *a,
                                     const float *weights, const float *bias,
                                     float *to) {
  const ptrdiff_t c = s->c, np = s->np;
  const float *column[6];
  tenon_vf acc[8];
  TENON_UNROLL
  for (int i = 0; i < n; ++i)
    acc[i] = (tenon_vf){0};
  TENON_UNROLL
  for (int k = 0; k < 6; ++k)
    column[k] = a + 3 * k * c;
  for (ptrdiff_t kz = s->planes; kz > 0; --kz) {
    for (ptrdiff_t ky = s->rows; ky > 0; --ky) {
      tenon_vf w[7];
      TENON_UNROLL
      for (int k = 0; k < kw; ++k)
        w[k] = tenon_vf_load(weights + k * np);
      weights += kw * np;
      TENON_UNROLL
      for (int j = in; j < in_end; ++j) {
        tenon_vf x = tenon_vf_load(column[j / 3] + j % 3 * c);
        // gcc would load it for each output that reads it.
        TENON_SETTLE(x);
        TENON_UNROLL
        for (int i = 0; i < n; ++i)
          if (j - i * right >= 0 && j - i * right < kw)
            acc[i] = tenon_vf_fma(x, w[j - i * right], acc[i]);
      }
      TENON_UNROLL
      for (int k = 0; k < 6; ++k)
        column[k] += s->row;
    }
    weights += s->lost;
    TENON_UNROLL
    for (int k = 0; k < 6; ++k)
      column[k] += s->plane;
  }
  TENON_UNROLL
  for (int i = 0; i < n; ++i)
    tenon_vf_store(to + i * c, tenon_deep_f32_end(s, bias, acc[i]));
}

// One register of channels after the other, q to q_end.
TENON_FLAT void tenon_deep_f32_blocks(const int n, const int kw,
                                      const int right, const int before,
                                      const int behind, const tenon_deep_f32 *s,
                                      const float *a, const float *weights,
                                      float *to, ptrdiff_t q, ptrdiff_t q_end) {
  const ptrdiff_t most = s->c - TENON_VL;
  for (; q < q_end; q += TENON_VL) {
    const ptrdiff_t i = q > most ? most : q;
    tenon_deep_f32_block(n, kw, right, before, (n - 1) * right + kw - behind, s,
                         a + i, weights + i, s->bias + i, to + i);
  }
}

typedef void tenon_deep_f32_fn(const tenon_deep_f32 *, const float *,
                               const float *, float *, ptrdiff_t, ptrdiff_t);
// Outputs at once, columns of taps, stride, and columns that lack before and
// behind.
#define TENON_DEEP_SIDES(X, n, kw, right) \
  X(n, kw, right, 0, 0)                   \
  X(n, kw, right, 1, 0) X(n, kw, right, 0, 1) X(n, kw, right, 1, 1)
#define TENON_EACH_DEEP_F32(X) \
  X(4, 1, 1, 0, 0)             \
  X(8, 1, 1, 0, 0)             \
  TENON_DEEP_SIDES(X, 4, 3, 1) \
  TENON_DEEP_SIDES(X, 4, 3, 2) \
  TENON_DEEP_SIDES(X, 7, 3, 1) \
  TENON_DEEP_SIDES(X, 7, 3, 2) \
  TENON_DEEP_SIDES(X, 8, 3, 1) \
  TENON_DEEP_SIDES(X, 8, 3, 2) \
  X(4, 5, 1, 0, 0)             \
  X(4, 5, 1, 2, 0)             \
  X(4, 5, 1, 0, 2)             \
  X(4, 5, 1, 2, 2)             \
  X(4, 7, 1, 0, 0) X(4, 7, 1, 3, 0) X(4, 7, 1, 0, 3) X(4, 7, 1, 3, 3)
#define TENON_DEEP(n, kw, right, before, behind)                              \
  TENON_APART void tenon_deep_f32_##n##_##kw##_##right##_##before##_##behind( \
      const tenon_deep_f32 *s, const float *a, const float *weights,          \
      float *to, ptrdiff_t q, ptrdiff_t q_end) {                              \
    tenon_deep_f32_blocks(n, kw, right, before, behind, s, a, weights, to, q, \
                          q_end);                                             \
  }
TENON_EACH_DEEP_F32(TENON_DEEP)
#undef TENON_DEEP

// Null: outputs go one after the other.
static tenon_deep_f32_fn *tenon_deep_f32_find(const tenon_deep_f32 *s,
                                              ptrdiff_t n, ptrdiff_t before,
                                              ptrdiff_t behind) {
  if (s->c < TENON_VL || s->out_w < n || s->dil_x != 1 || s->kw > 9 ||
      s->right > 9 || before > 9 || behind > 9)
    return NULL;
  switch ((((n * 10 + s->kw) * 10 + s->right) * 10 + before) * 10 + behind) {
#define TENON_DEEP(n, kw, right, before, behind)                   \
  case (((n * 10 + kw) * 10 + right) * 10 + before) * 10 + behind: \
    return tenon_deep_f32_##n##_##kw##_##right##_##before##_##behind;
    TENON_EACH_DEEP_F32(TENON_DEEP)
#undef TENON_DEEP
  }
  return NULL;
}

// Outputs x to x_end of a row, one after the other, for channels q to q_end.
TENON_APART void tenon_deep_f32_pixels(const tenon_deep_f32 *s, const float *a,
                                       const float *weights, float *to,
                                       ptrdiff_t x, ptrdiff_t x_end,
                                       ptrdiff_t q, ptrdiff_t q_end) {
  for (to += x * s->c; x < x_end; ++x, to += s->c) {
    const tenon_taps tx =
        tenon_window_taps(x, s->right, s->left, s->dil_x, s->kw, s->w);
    for (ptrdiff_t k = q; k < q_end; k += TENON_VL) {
      const ptrdiff_t n = q_end - k < TENON_VL ? q_end - k : TENON_VL;
      const float *line = a + tx.at * s->c + k, *w = weights + k;
      tenon_vf acc = {0};
      for (ptrdiff_t kz = s->planes; kz > 0;
           --kz, line += s->plane, w += s->lost)
        for (ptrdiff_t ky = s->rows; ky > 0;
             --ky, line += s->row, w += s->kw * s->np)
          for (ptrdiff_t kx = tx.begin; kx < tx.end; ++kx)
            acc =
                tenon_vf_fma(tenon_vf_load_part(line + kx * s->dil_x * s->c, n),
                             tenon_vf_load(w + kx * s->np), acc);
      tenon_vf_store_part(to + k, tenon_deep_f32_end(s, s->bias + k, acc), n);
    }
  }
}

TENON_FLAT tenon_deep_f32 tenon_deep_f32_of(const tenon_call *c) {
  const tenon_depthwise_conv3d_attrs *a =
      (const tenon_depthwise_conv3d_attrs *)c->attrs;
  const tenon_packed_f32 *head = (const tenon_packed_f32 *)c->packed;
  const int32_t *x = c->in[0].dims;
  tenon_deep_f32 s;
  s.call = c;
  s.c = x[4];
  s.w = x[3];
  s.out_w = c->out[0].dims[3];
  s.np = tenon_round_up(s.c, TENON_LANES);
  s.bias = (const float *)(head + 1);
  s.scale = head->is_scaled ? s.np : 0;
  s.weights = s.bias + (head->is_scaled ? 3 : 1) * s.np;
  s.kw = c->in[1].dims[3];
  s.right = (ptrdiff_t)a->stride.data[2];
  s.left = (ptrdiff_t)a->pad.data[2];
  s.dil_x = (ptrdiff_t)a->dilation.data[2];
  s.row = (ptrdiff_t)a->dilation.data[1] * s.w * s.c;
  s.plane = s.lost = s.planes = s.rows = 0;
  s.lo = head->lo;
  s.hi = head->hi;
  return s;
}

// Several outputs of a row at once, where there is a function for them.
TENON_FLAT void tenon_deep_f32_row(const tenon_deep_f32 *s, const float *a,
                                   const float *weights, float *to, ptrdiff_t q,
                                   ptrdiff_t q_end) {
  const ptrdiff_t n = s->kw > 3                         ? 4
                      : s->out_w % 8 == 0               ? 8
                      : s->out_w % 7 == 0 && s->kw == 3 ? 7
                                                        : 4;
  for (ptrdiff_t x = 0, end; x < s->out_w; x = end) {
    end = x + n < s->out_w ? x + n : s->out_w;
    if (end - x < n && s->out_w >= n) x = end - n;  // some once more
    const ptrdiff_t first = x * s->right - s->left;
    const ptrdiff_t over = first + (n - 1) * s->right + s->kw - s->w;
    tenon_deep_f32_fn *fn =
        tenon_deep_f32_find(s, n, first < 0 ? -first : 0, over > 0 ? over : 0);
    if (fn)
      fn(s, a + first * s->c, weights, to + x * s->c, q, q_end);
    else
      tenon_deep_f32_pixels(s, a, weights, to, x, end, q, q_end);
  }
}

// Channels q to q_end of row `row` of the result.
static void tenon_deep_f32_line(tenon_deep_f32 *s, ptrdiff_t row, ptrdiff_t q,
                                ptrdiff_t q_end) {
  const tenon_call *c = s->call;
  const int32_t *x = c->in[0].dims, *out = c->out[0].dims;
  const int32_t *taps = c->in[1].dims;
  const int64_t *dil =
      ((const tenon_depthwise_conv3d_attrs *)c->attrs)->dilation.data;
  const tenon_taps tz = tenon_volume_taps(c, 0, row / out[2] % out[1]);
  const tenon_taps ty = tenon_volume_taps(c, 1, row % out[2]);
  const ptrdiff_t image = row / out[2] / out[1];
  const ptrdiff_t z = tz.at + tz.begin * (ptrdiff_t)dil[0];
  const ptrdiff_t y = ty.at + ty.begin * (ptrdiff_t)dil[1];
  s->planes = tz.end - tz.begin;
  s->rows = ty.end - ty.begin;
  s->plane = (ptrdiff_t)dil[0] * x[2] * s->w * s->c - s->rows * s->row;
  s->lost = (taps[2] - s->rows) * s->kw * s->np;
  tenon_deep_f32_row(
      s,
      (const float *)c->in[0].data +
          ((image * x[1] + z) * x[2] + y) * s->w * s->c,
      s->weights + (tz.begin * taps[2] + ty.begin) * s->kw * s->np,
      (float *)c->out[0].data + row * s->out_w * s->c, q, q_end);
}

// Rows in the order of memory, but where windows are deeper than high rows of
// all planes before the next of each, as neighbours read most of them. Some
// channels of all, then the next, where all that a row reads would not stay in
// the first cache.
TENON_FLAT tenon_status tenon_depthwise_conv3d_f32_run(const tenon_call *c,
                                                       int64_t begin,
                                                       int64_t end) {
  tenon_deep_f32 s = tenon_deep_f32_of(c);
  const int32_t *taps = c->in[1].dims, *out = c->out[0].dims;
  const ptrdiff_t reads = taps[1] * taps[2] * s.w * s.c;
  const ptrdiff_t some =
      reads > 8192 && s.right == 1 && s.c > TENON_GROUP ? TENON_GROUP / 2 : s.c;
  const ptrdiff_t from = (ptrdiff_t)begin, to = (ptrdiff_t)end;
  const ptrdiff_t step = taps[1] > taps[2] && out[2] > 0 ? out[2] : 1;
  for (ptrdiff_t q = 0; q < s.c; q += some)
    for (ptrdiff_t i = from; i < to && i < from + step; ++i)
      for (ptrdiff_t row = i; row < to; row += step)
        tenon_deep_f32_line(&s, row, q, q + some < s.c ? q + some : s.c);
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_DEPTHWISE_CONV3D_F32_OPT_H
