// kern/opt/conv/depthwise_conv_f32_narrow.h - depthwise convolution of fewer
// channels than a register has lanes.
//
// Where they divide the lanes and outputs are as far apart as pixels, a row of
// outputs is one run, and so is what a tap reads for it: a register has some
// neighbouring pixels, and weights, bias and so on are repeated for each of
// them. Every output is the same chain of sums as elsewhere.
#ifndef TENON_KERN_OPT_DEPTHWISE_CONV_F32_NARROW_H
#define TENON_KERN_OPT_DEPTHWISE_CONV_F32_NARROW_H

#include "kern/opt/tiles/tiles.h"
#include "kern/product/conv.h"

#define TENON_NARROW_TAPS 64

typedef struct tenon_narrow_f32 {
  ptrdiff_t c, taps;                 // channels, of a row
  ptrdiff_t row, tap;                // floats from one to the next
  bool is_scaled;                    // (sum + bias) scale + shift
  float last[3 * TENON_VL], lo, hi;  // bias, scale, shift
  float w[TENON_NARROW_TAPS * TENON_VL];
} tenon_narrow_f32;

TENON_INLINE bool tenon_narrow_f32_fits(const tenon_window *g) {
  return g->out_c == g->c && g->c > 0 && g->c < TENON_VL &&
         TENON_VL % g->c == 0 && g->right == 1 &&
         g->kh * g->kw <= TENON_NARROW_TAPS;
}

// A vector of c numbers again and again.
TENON_FLAT void tenon_narrow_f32_repeat(float *to, const float *from,
                                        ptrdiff_t c) {
  for (ptrdiff_t i = 0; i < TENON_VL; i += c)
    for (ptrdiff_t j = 0; j < c; ++j)
      to[i + j] = from[j];
}

// `bias` and what stands behind it, `np` channels each; weights of each tap.
static void tenon_narrow_f32_of(const tenon_window *g, bool is_scaled,
                                const float *bias, const float *weights,
                                ptrdiff_t np, tenon_narrow_f32 *n) {
  n->c = g->c;
  n->taps = g->kw;
  n->row = g->dil_y * g->w * g->c;
  n->tap = g->dil_x * g->c;
  n->is_scaled = is_scaled;
  for (ptrdiff_t k = 0; k < (is_scaled ? 3 : 1); ++k)
    tenon_narrow_f32_repeat(n->last + k * TENON_VL, bias + k * np, g->c);
  for (ptrdiff_t k = 0; k < g->kh * g->kw; ++k)
    tenon_narrow_f32_repeat(n->w + k * TENON_VL, weights + k * np, g->c);
}

// `nv` registers, a constant after inlining, of `rows` rows of taps.
TENON_FLAT void tenon_narrow_f32_some(const int nv, const tenon_narrow_f32 *n,
                                      ptrdiff_t rows, const float *w,
                                      const float *a, float *to) {
  tenon_vf acc[8] = {{0}};
  for (; rows > 0; --rows, a += n->row) {
    const float *at = a;
    for (ptrdiff_t k = n->taps; k > 0; --k, at += n->tap, w += TENON_VL) {
      const tenon_vf weight = tenon_vf_load(w);
      TENON_UNROLL
      for (int i = 0; i < nv; ++i)
        acc[i] = tenon_vf_fma(tenon_vf_load(at + i * TENON_VL), weight, acc[i]);
    }
  }
  const tenon_vf lo = tenon_vf_splat(n->lo), hi = tenon_vf_splat(n->hi);
  TENON_UNROLL
  for (int i = 0; i < nv; ++i) {
    acc[i] = acc[i] + tenon_vf_load(n->last);
    if (n->is_scaled)
      acc[i] = acc[i] * tenon_vf_load(n->last + TENON_VL) +
               tenon_vf_load(n->last + 2 * TENON_VL);
    tenon_vf_store(to + i * TENON_VL, tenon_vf_clamp(acc[i], lo, hi));
  }
}

// `count` floats of a row of outputs, at least a register of them, from `to`
// on; the first tap of row `first` of the window reads from `a` on.
TENON_APART void tenon_narrow_f32_row(const tenon_narrow_f32 *n,
                                      ptrdiff_t first, ptrdiff_t rows,
                                      const float *a, float *to,
                                      ptrdiff_t count) {
  const float *w = n->w + first * n->taps * TENON_VL;
  ptrdiff_t i = 0;
  if (count >= 8 * TENON_VL) {
    for (; i < count; i += 8 * TENON_VL) {
      if (i + 8 * TENON_VL > count) i = count - 8 * TENON_VL;  // once more
      tenon_narrow_f32_some(8, n, rows, w, a + i, to + i);
    }
    return;
  }
  for (; i < count; i += TENON_VL) {
    if (i + TENON_VL > count) i = count - TENON_VL;
    tenon_narrow_f32_some(1, n, rows, w, a + i, to + i);
  }
}

#endif  // TENON_KERN_OPT_DEPTHWISE_CONV_F32_NARROW_H
