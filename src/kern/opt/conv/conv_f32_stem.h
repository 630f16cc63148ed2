// kern/opt/conv/conv_f32_stem.h - the first layer of a network of images:
// windows of three columns of three channels, two apart; part of
// conv_f32_opt.h.
//
// Every third column is in the windows of two outputs. So outputs of a row are
// summed up column by column: each value is loaded once, and the weights of a
// row of taps stay in registers. A tile of rows loads 13 values for 12
// multiply-accumulates, this 96 for 126. Every output is the same chain of sums
// as in kern/opt/tiles/tile_f32.h.
#ifndef TENON_KERN_OPT_CONV_F32_STEM_H
#define TENON_KERN_OPT_CONV_F32_STEM_H

#include "kern/opt/tiles/tile_f32.h"
#include "kern/product/conv.h"

#if TENON_VB == 64 && !TENON_TILE_IS_SPARE
#define TENON_HAS_STEM 1
enum { TENON_STEM_DEPTH = 3, TENON_STEM_TAPS = 3, TENON_STEM_RIGHT = 2 };

// What blocks of a row have in common.
typedef struct tenon_stem_f32 {
  const tenon_gemm_f32 *gemm;
  ptrdiff_t taps, row, ldc;  // rows of taps, floats between them and outputs
} tenon_stem_f32;

// n outputs of vector v; n, and whether the first column is left of the image
// and the last one right of it, are constants after inlining. The columns begin
// at `a`, which may lie outside.
TENON_FLAT void tenon_stem_f32_block(const int n, const int is_left,
                                     const int is_right,
                                     const tenon_stem_f32 *s, ptrdiff_t v,
                                     const float *a, const float *weights,
                                     float *to) {
  enum { c = TENON_STEM_DEPTH, kw = TENON_STEM_TAPS, by = TENON_STEM_RIGHT };
  const int end = (n - 1) * by + kw - is_right;
  tenon_vf acc[14][8], w[kw * c];
  TENON_UNROLL
  for (int i = 0; i < n; ++i)
    acc[i][0] = (tenon_vf){0};
  for (ptrdiff_t ky = s->taps; ky > 0; --ky, a += s->row) {
    TENON_UNROLL
    for (int k = 0; k < kw * c; ++k)
      w[k] = tenon_vf_load(weights + k * TENON_LANES);
    weights += kw * c * TENON_LANES;
    TENON_UNROLL
    for (int j = is_left; j < end; ++j) {
      TENON_UNROLL
      for (int k = 0; k < c; ++k) {
        tenon_vf x = tenon_vf_splat(a[j * c + k]);
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
#define TENON_STEM_ROW(n) \
  TENON_STEM(n, 0, 0)     \
  TENON_STEM(n, 0, 1) TENON_STEM(n, 1, 0) TENON_STEM(n, 1, 1)
#define TENON_STEM(n, left, right)                              \
  TENON_APART void tenon_stem_f32_##n##_##left##_##right(       \
      const tenon_stem_f32 *s, ptrdiff_t v, const float *a,     \
      const float *weights, float *to) {                        \
    tenon_stem_f32_block(n, left, right, s, v, a, weights, to); \
  }
TENON_STEM_ROW(12)
TENON_STEM_ROW(14)
#undef TENON_STEM
#define TENON_STEM(n, left, right) tenon_stem_f32_##n##_##left##_##right,
static tenon_stem_f32_fn *const tenon_stem_f32_of[2][4] = {
    {TENON_STEM_ROW(12)}, {TENON_STEM_ROW(14)}};
#undef TENON_STEM
#undef TENON_STEM_ROW

// Outputs at once, or 0: this is no such layer.
TENON_INLINE ptrdiff_t tenon_stem_f32_width(const tenon_window *g,
                                            ptrdiff_t depth) {
  if (depth != TENON_STEM_DEPTH || g->c != depth || g->kw != TENON_STEM_TAPS ||
      g->right != TENON_STEM_RIGHT || g->dil_x != 1 || g->left > 1 ||
      g->out_w < 12 || g->out_w * TENON_STEM_RIGHT - g->left > g->w)
    return 0;
  const ptrdiff_t of_14 = tenon_round_up(g->out_w, 14);
  return g->out_w >= 14 && of_14 <= tenon_round_up(g->out_w, 12) ? 14 : 12;
}

// Rows begin to end, vectors v to v_end; n: as above. `x` is the image.
static void tenon_stem_f32_rows(const tenon_window *g,
                                const tenon_gemm_f32 *gemm, ptrdiff_t n,
                                const float *x, float *y, ptrdiff_t v,
                                ptrdiff_t v_end, ptrdiff_t begin,
                                ptrdiff_t end) {
  for (; begin < end; ++begin) {
    const tenon_taps ty = tenon_window_rows(g, begin);
    const ptrdiff_t row = g->w * g->c;
    const tenon_stem_f32 s = {gemm, ty.end - ty.begin, g->dil_y * row,
                              g->out_c};
    const float *a = x + (ty.at + ty.begin * g->dil_y) * row;
    const ptrdiff_t before =
        ty.begin * TENON_STEM_TAPS * TENON_STEM_DEPTH * TENON_LANES;
    for (ptrdiff_t q = 0; q < g->out_w; q += n) {
      if (q + n > g->out_w) q = g->out_w - n;  // some once more
      const ptrdiff_t first = q * TENON_STEM_RIGHT - g->left;
      const ptrdiff_t behind = first + n * TENON_STEM_RIGHT + 1;
      tenon_stem_f32_fn *block =
          tenon_stem_f32_of[n == 14][(first < 0) * 2 + (behind > g->w)];
      for (ptrdiff_t i = v; i < v_end; ++i)
        block(&s, i, a + first * g->c, gemm->weights + i * gemm->panel + before,
              y + (begin * g->out_w + q) * g->out_c + i * TENON_VL);
    }
  }
}
#endif

#endif  // TENON_KERN_OPT_CONV_F32_STEM_H
