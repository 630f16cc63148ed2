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
// outside of the image is zero.
#ifndef TENON_KERN_WINOGRAD_H
#define TENON_KERN_WINOGRAD_H

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

// G g of three weights, `step` doubles apart.
TENON_INLINE void tenon_winograd_weights3(ptrdiff_t tile, const double *w,
                                          ptrdiff_t step, double *to,
                                          ptrdiff_t apart) {
  const double a = w[0], b = w[step], c = w[2 * step];
  if (tile == 2) {
    to[0] = a;
    to[apart] = (a + b + c) * 0.5;
    to[2 * apart] = (a - b + c) * 0.5;
    to[3 * apart] = c;
  } else {
    const double near = a + c * 0.5625, far = a + c * 2.25;
    to[0] = a / 1.265625;
    to[apart] = (near + b * 0.75) / -1.8984375;
    to[2 * apart] = (near - b * 0.75) / -1.8984375;
    to[3 * apart] = (far + b * 1.5) / 7.59375;
    to[4 * apart] = (far - b * 1.5) / 7.59375;
    to[5 * apart] = c;
  }
}

// G g G' of the weights of one channel, `step` floats apart, to floats `apart`:
// in doubles, along columns first, each rounded once.
TENON_INLINE void tenon_winograd_weights(ptrdiff_t tile, const float *w,
                                         ptrdiff_t step, float *to,
                                         ptrdiff_t apart) {
  double all[9], rows[TENON_WINOGRAD_IN * 3], row[TENON_WINOGRAD_IN];
  const ptrdiff_t in = tile + 2;
  for (ptrdiff_t k = 0; k < 9; ++k)
    all[k] = (double)w[k * step];
  for (ptrdiff_t x = 0; x < 3; ++x)
    tenon_winograd_weights3(tile, all + x, 3, rows + x, 3);
  for (ptrdiff_t y = 0; y < in; ++y) {
    tenon_winograd_weights3(tile, rows + 3 * y, 1, row, 1);
    for (ptrdiff_t x = 0; x < in; ++x, to += apart)
      to[0] = (float)row[x];
  }
}

#endif  // TENON_KERN_WINOGRAD_H
