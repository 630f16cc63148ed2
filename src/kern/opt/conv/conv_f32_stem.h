// kern/opt/conv/conv_f32_stem.h - the first layer of a network of images:
// windows of three columns of three channels, two apart; part of
// conv_f32_opt.h.
//
// Every third column is in the windows of two outputs. So outputs of a row are
// summed up column by column: each value is loaded once, and the weights of a
// row of taps stay in registers. A tile of rows loads 13 values for 12
// multiply-accumulates, this 96 for 126. Every output is the same chain of sums
// as in kern/opt/tiles/tile_f32.h. Since each value is loaded by itself, the
// channels of a pixel may as well lie in planes, a column behind the other.
#ifndef TENON_KERN_OPT_CONV_F32_STEM_H
#define TENON_KERN_OPT_CONV_F32_STEM_H

#include "kern/opt/conv/stem.h"
#include "kern/opt/tiles/tile_f32.h"
#include "kern/product/conv.h"

#if TENON_VB == 64 && !TENON_TILE_IS_SPARE
#define TENON_HAS_STEM 1

// What blocks of a row have in common.
typedef struct tenon_stem_f32 {
  const tenon_gemm_f32 *gemm;
  ptrdiff_t taps, row, ldc;  // rows of taps, floats between them and outputs
  ptrdiff_t plane;           // floats between channels; 1: pixels lie together
} tenon_stem_f32;

// n outputs of vector v; n, whether there are planes, and whether the first
// column is left of the image and the last one right of it, are constants after
// inlining. The columns begin at `a`, which may lie outside.
TENON_FLAT void tenon_stem_f32_block(const int n, const int is_planes,
                                     const int is_left, const int is_right,
                                     const tenon_stem_f32 *s, ptrdiff_t v,
                                     const float *a, const float *weights,
                                     float *to) {
  enum { c = TENON_STEM_DEPTH, kw = TENON_STEM_TAPS, by = TENON_STEM_RIGHT };
  const int end = (n - 1) * by + kw - is_right;
  const ptrdiff_t plane = is_planes ? s->plane : 1;
  tenon_vf acc[14][8], w[kw * c];
  TENON_UNROLL
  for (int i = 0; i < n; ++i)
    acc[i][0] = (tenon_vf){0};
  for (ptrdiff_t ky = s->taps; ky > 0; --ky, a += s->row) {
    TENON_UNROLL
    for (int k = 0; k < kw * c; ++k)
      w[k] = tenon_vf_load(weights + k * TENON_LANES);
    weights += kw * c * TENON_LANES;
    const float *at[c] = {a, a + plane, a + 2 * plane};
    TENON_UNROLL
    for (int k = 0; k < c; ++k)
      if (is_planes) TENON_SETTLE_POINTER(at[k]);
    TENON_UNROLL
    for (int j = is_left; j < end; ++j) {
      TENON_UNROLL
      for (int k = 0; k < c; ++k) {
        tenon_vf x = tenon_vf_splat(is_planes ? at[k][j] : a[j * c + k]);
        TENON_SETTLE(x);
        TENON_UNROLL
        for (int i = 0; i < n; ++i) {
          const int tap = j - i * by;
          if (tap >= 0 && tap < kw)
            acc[i][0] = tenon_vf_fma(x, w[tap * c + k], acc[i][0]);
        }
      }
    }
  }
  tenon_tile_f32_end(n, 1, s->gemm, v, acc, to, s->ldc);
}

typedef void tenon_stem_f32_fn(const tenon_stem_f32 *, ptrdiff_t, const float *,
                               const float *, float *);
#define TENON_STEM_ROW(n, planes) \
  TENON_STEM(n, planes, 0, 0)     \
  TENON_STEM(n, planes, 0, 1)     \
  TENON_STEM(n, planes, 1, 0) TENON_STEM(n, planes, 1, 1)
#define TENON_STEM(n, planes, left, right)                              \
  TENON_APART void tenon_stem_f32_##n##_##planes##_##left##_##right(    \
      const tenon_stem_f32 *s, ptrdiff_t v, const float *a,             \
      const float *weights, float *to) {                                \
    tenon_stem_f32_block(n, planes, left, right, s, v, a, weights, to); \
  }
TENON_STEM_ROW(12, 0)
TENON_STEM_ROW(14, 0)
TENON_STEM_ROW(12, 1)
TENON_STEM_ROW(14, 1)
#undef TENON_STEM
#define TENON_STEM(n, planes, left, right) \
  tenon_stem_f32_##n##_##planes##_##left##_##right,
static tenon_stem_f32_fn *const tenon_stem_f32_of[2][2][4] = {
    {{TENON_STEM_ROW(12, 0)}, {TENON_STEM_ROW(14, 0)}},
    {{TENON_STEM_ROW(12, 1)}, {TENON_STEM_ROW(14, 1)}}};
#undef TENON_STEM
#undef TENON_STEM_ROW

// Rows begin to end, vectors v to v_end; n: of tenon_stem_f32_width. `x` is the
// image, whose strides are given if it does not lie densely.
static void tenon_stem_f32_rows(const tenon_window *g,
                                const tenon_gemm_f32 *gemm, ptrdiff_t n,
                                const float *x, const int32_t *strides,
                                float *y, ptrdiff_t v, ptrdiff_t v_end,
                                ptrdiff_t begin, ptrdiff_t end) {
  const ptrdiff_t row = strides ? strides[1] : g->w * g->c;
  const ptrdiff_t pixel = strides ? 1 : g->c;
  for (; begin < end; ++begin) {
    const tenon_taps ty = tenon_window_rows(g, begin);
    const tenon_stem_f32 s = {gemm, ty.end - ty.begin, g->dil_y * row, g->out_c,
                              strides ? strides[3] : 1};
    const float *a = x + (ty.at + ty.begin * g->dil_y) * row;
    const ptrdiff_t before =
        ty.begin * TENON_STEM_TAPS * TENON_STEM_DEPTH * TENON_LANES;
    for (ptrdiff_t q = 0; q < g->out_w; q += n) {
      if (q + n > g->out_w) q = g->out_w - n;  // some once more
      const ptrdiff_t first = q * TENON_STEM_RIGHT - g->left;
      const ptrdiff_t behind = first + n * TENON_STEM_RIGHT + 1;
      tenon_stem_f32_fn *block =
          tenon_stem_f32_of[strides != NULL][n == 14]
                           [(first < 0) * 2 + (behind > g->w)];
      for (ptrdiff_t i = v; i < v_end; ++i)
        block(&s, i, a + first * pixel,
              gemm->weights + i * gemm->panel + before,
              y + (begin * g->out_w + q) * g->out_c + i * TENON_VL);
    }
  }
}
#endif

#endif  // TENON_KERN_OPT_CONV_F32_STEM_H
