// kern/product/winograd.h - convolutions of 3 by 3 taps with fewer products:
// the attributes of core::conv_winograd, and what its kernels share.
//
// F(2x2, 3x3) and F(4x4, 3x3) of Winograd's minimal filtering (A. Lavin and S.
// Gray, "Fast algorithms for convolutional neural networks", 2015): of each
// tile of n by n inputs, d, and the weights g of 3 by 3, n - 2 by n - 2 outputs
//
//   y = A'[(G g G') . (B' d B)]A
//
// take n * n products, 16 for 4 outputs or 36 for 16, where the direct sum
// takes 9 for each. A tile of 2 is interpolated at 0, 1, -1 and infinity, one
// of 4 at 0, 3/4, -3/4, 3/2, -3/2 and infinity: with 1 and 2 in the place of
// 3/4 and 3/2, as in the article, results would be four times as far from exact
// ones.
//
// The order, which every kernel keeps: d is combined along its columns (that
// is, rows are added), then along its rows, as _spread says; each of the n * n
// sums over channels is one chain of fused multiply-adds from the first channel
// on, begun at zero; these are combined along columns, then along rows, as
// _gather says; bias, scale and shift follow as in core::conv. What lies
// outside of the image is zero. g is combined in floats, along columns, then
// along rows, as _weights3 says: also by a machine without doubles, in every
// run.
#ifndef TENON_KERN_WINOGRAD_H
#define TENON_KERN_WINOGRAD_H

#include <math.h>

#include "tenon/attr.h"
#include "tenon/tensor.h"

typedef struct tenon_conv_winograd_attrs {
  tenon_ints pad;          // 4: top, left, bottom, right
  int64_t tile;            // outputs of a tile along each axis: 2 or 4
  tenon_opt_float lo, hi;  // clamp
} tenon_conv_winograd_attrs;

// At most: inputs of a tile along each axis, and products of an input channel.
enum { TENON_WINOGRAD_IN = 6, TENON_WINOGRAD_SUMS = 36 };

// Where tiles of 4 are interpolated, and powers of that: squares, cubes, the
// sum and the product of the squares. All are exact.
#define TENON_WINOGRAD_A1 0.75f
#define TENON_WINOGRAD_A2 0.5625f
#define TENON_WINOGRAD_A3 0.421875f
#define TENON_WINOGRAD_B1 1.5f
#define TENON_WINOGRAD_B2 2.25f
#define TENON_WINOGRAD_B3 3.375f
#define TENON_WINOGRAD_SUM2 2.8125f
#define TENON_WINOGRAD_PRODUCT2 1.265625f

// What weights 0, 1 and 2 of a line count for at 0, at 3/4 (weight 1 the other
// way at -3/4) and at 3/2: powers of these by what interpolation divides by,
// 64 / 81, -128 / 243 and 32 / 243 times them, as near as floats are.
#define TENON_WINOGRAD_ZERO0 0.790123457f
#define TENON_WINOGRAD_NEAR0 -0.526748971f
#define TENON_WINOGRAD_NEAR1 -0.395061728f
#define TENON_WINOGRAD_NEAR2 -0.296296296f
#define TENON_WINOGRAD_FAR0 0.131687243f
#define TENON_WINOGRAD_FAR1 0.197530864f
#define TENON_WINOGRAD_FAR2 0.296296296f

typedef struct tenon_winograd {
  ptrdiff_t h, w, c;  // the image
  ptrdiff_t out_h, out_w, out_c;
  ptrdiff_t top, left;    // padding
  ptrdiff_t tile, in;     // outputs and inputs of a tile along each axis
  ptrdiff_t sums;         // products of an input channel
  ptrdiff_t down, right;  // tiles
} tenon_winograd;

TENON_INLINE tenon_winograd tenon_winograd_of(const tenon_call *c) {
  const tenon_conv_winograd_attrs *a =
      (const tenon_conv_winograd_attrs *)c->attrs;
  tenon_winograd g;
  g.h = c->in[0].dims[1];
  g.w = c->in[0].dims[2];
  g.c = c->in[0].dims[3];
  g.out_h = c->out[0].dims[1];
  g.out_w = c->out[0].dims[2];
  g.out_c = c->out[0].dims[3];
  g.top = (ptrdiff_t)a->pad.data[0];
  g.left = (ptrdiff_t)a->pad.data[1];
  g.tile = (ptrdiff_t)a->tile;
  g.in = g.tile + 2;
  g.sums = g.in * g.in;
  g.down = (g.out_h + g.tile - 1) / g.tile;
  g.right = (g.out_w + g.tile - 1) / g.tile;
  return g;
}

// How a kernel for small machines goes: so many rows of tiles at once, all of
// few, of which so many tiles in multiples of four.
TENON_INLINE ptrdiff_t tenon_winograd_few_rows(const tenon_winograd *g) {
  const ptrdiff_t most = g->tile == 2 ? 16 : 8;
  if (g->down * g->right <= 12) return g->down;
  return g->right < most ? most / g->right : 1;
}
TENON_INLINE ptrdiff_t tenon_winograd_few_tiles(const tenon_winograd *g) {
  return (tenon_winograd_few_rows(g) * g->right + 3) / 4 * 4;
}

// G g of three weights, `step` floats apart.
TENON_INLINE void tenon_winograd_weights3(ptrdiff_t tile, const float *w,
                                          ptrdiff_t step, float *to,
                                          ptrdiff_t apart) {
  const float a = w[0], b = w[step], c = w[2 * step];
  if (tile == 2) {
    const float ends = (a + c) * 0.5f;
    to[0] = a;
    to[apart] = fmaf(0.5f, b, ends);
    to[2 * apart] = fmaf(-0.5f, b, ends);
    to[3 * apart] = c;
  } else {
    const float near = fmaf(TENON_WINOGRAD_NEAR2, c, TENON_WINOGRAD_NEAR0 * a);
    const float far = fmaf(TENON_WINOGRAD_FAR2, c, TENON_WINOGRAD_FAR0 * a);
    to[0] = TENON_WINOGRAD_ZERO0 * a;
    to[apart] = fmaf(TENON_WINOGRAD_NEAR1, b, near);
    to[2 * apart] = fmaf(-TENON_WINOGRAD_NEAR1, b, near);
    to[3 * apart] = fmaf(TENON_WINOGRAD_FAR1, b, far);
    to[4 * apart] = fmaf(-TENON_WINOGRAD_FAR1, b, far);
    to[5 * apart] = c;
  }
}

// G g G' of the weights of one channel, `step` floats apart, to floats `apart`:
// along columns first.
TENON_INLINE void tenon_winograd_weights(ptrdiff_t tile, const float *w,
                                         ptrdiff_t step, float *to,
                                         ptrdiff_t apart) {
  float rows[TENON_WINOGRAD_IN * 3];
  const ptrdiff_t in = tile + 2;
  for (ptrdiff_t x = 0; x < 3; ++x)
    tenon_winograd_weights3(tile, w + x * step, 3 * step, rows + x, 3);
  for (ptrdiff_t y = 0; y < in; ++y, to += in * apart)
    tenon_winograd_weights3(tile, rows + 3 * y, 1, to, apart);
}

// B' of the inputs of a line of a tile, values `step` apart.
TENON_INLINE void tenon_winograd_spread1(ptrdiff_t tile, const float *d,
                                         ptrdiff_t step, float *to,
                                         ptrdiff_t apart) {
  const float d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step];
  if (tile == 2) {
    to[0] = d0 - d2;
    to[apart] = d1 + d2;
    to[2 * apart] = d2 - d1;
    to[3 * apart] = d1 - d3;
  } else {
    const float d4 = d[4 * step], d5 = d[5 * step];
    const float even_a = fmaf(-TENON_WINOGRAD_B2, d2, d4);
    const float odd_a = fmaf(-TENON_WINOGRAD_B2, d1, d3);
    const float even_b = fmaf(-TENON_WINOGRAD_A2, d2, d4);
    const float odd_b = fmaf(-TENON_WINOGRAD_A2, d1, d3);
    to[0] =
        fmaf(TENON_WINOGRAD_PRODUCT2, d0, fmaf(-TENON_WINOGRAD_SUM2, d2, d4));
    to[apart] = fmaf(TENON_WINOGRAD_A1, odd_a, even_a);
    to[2 * apart] = fmaf(-TENON_WINOGRAD_A1, odd_a, even_a);
    to[3 * apart] = fmaf(TENON_WINOGRAD_B1, odd_b, even_b);
    to[4 * apart] = fmaf(-TENON_WINOGRAD_B1, odd_b, even_b);
    to[5 * apart] =
        fmaf(TENON_WINOGRAD_PRODUCT2, d1, fmaf(-TENON_WINOGRAD_SUM2, d3, d5));
  }
}

// A' of a line of sums, values `step` apart.
TENON_INLINE void tenon_winograd_gather1(ptrdiff_t tile, const float *m,
                                         ptrdiff_t step, float *to,
                                         ptrdiff_t apart) {
  const float m0 = m[0], m1 = m[step], m2 = m[2 * step], m3 = m[3 * step];
  if (tile == 2) {
    to[0] = m0 + m1 + m2;
    to[apart] = m1 - m2 - m3;
  } else {
    const float m4 = m[4 * step], m5 = m[5 * step];
    const float sum_a = m1 + m2, odd_a = m1 - m2;
    const float sum_b = m3 + m4, odd_b = m3 - m4;
    to[0] = m0 + sum_a + sum_b;
    to[apart] = fmaf(TENON_WINOGRAD_B1, odd_b, TENON_WINOGRAD_A1 * odd_a);
    to[2 * apart] = fmaf(TENON_WINOGRAD_B2, sum_b, TENON_WINOGRAD_A2 * sum_a);
    to[3 * apart] =
        fmaf(TENON_WINOGRAD_B3, odd_b, fmaf(TENON_WINOGRAD_A3, odd_a, m5));
  }
}

#endif  // TENON_KERN_WINOGRAD_H
