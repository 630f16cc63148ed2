// kern/product/winograd.h - convolutions of 3 by 3 taps with fewer products:
// the attributes of core::conv_winograd, and what its kernels share.
//
// F(2x2, 3x3) of Winograd's minimal filtering (A. Lavin and S. Gray, "Fast
// algorithms for convolutional neural networks", 2015): of each tile of 4 by 4
// inputs, d, and the weights g of 3 by 3, 2 by 2 outputs
//
//   y = A'[(G g G') . (B' d B)]A
//
// take 16 products where the direct sum takes 36. The order, which every kernel
// keeps: d is combined along its columns (that is, rows are added), then along
// its rows; each of the 16 sums over channels is one chain of fused
// multiply-adds from the first channel on, begun at zero; these are combined
// along columns, then along rows, each from left to right; bias, scale and
// shift follow as in core::conv. What lies outside of the image is zero.
#ifndef TENON_KERN_WINOGRAD_H
#define TENON_KERN_WINOGRAD_H

#include "tenon/attr.h"
#include "tenon/tensor.h"

typedef struct tenon_conv_winograd_attrs {
  tenon_ints pad;          // 4: top, left, bottom, right
  tenon_opt_float lo, hi;  // clamp
} tenon_conv_winograd_attrs;

enum {
  TENON_WINOGRAD_OUT = 2,   // outputs of a tile along each axis
  TENON_WINOGRAD_IN = 4,    // inputs
  TENON_WINOGRAD_SUMS = 16  // products of an input channel
};

typedef struct tenon_winograd {
  ptrdiff_t h, w, c;  // the image
  ptrdiff_t out_h, out_w, out_c;
  ptrdiff_t top, left;    // padding
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
  g.down = (g.out_h + 1) / TENON_WINOGRAD_OUT;
  g.right = (g.out_w + 1) / TENON_WINOGRAD_OUT;
  return g;
}

// G g G' of the weights of one channel, `step` floats apart, to floats `apart`:
// in doubles, along columns first, each rounded once.
TENON_INLINE void tenon_winograd_weights(const float *w, ptrdiff_t step,
                                         float *to, ptrdiff_t apart) {
  double rows[4][3];
  for (ptrdiff_t x = 0; x < 3; ++x) {
    const double a = (double)w[x * step], b = (double)w[(3 + x) * step];
    const double c = (double)w[(6 + x) * step];
    rows[0][x] = a;
    rows[1][x] = (a + b + c) * 0.5;
    rows[2][x] = (a - b + c) * 0.5;
    rows[3][x] = c;
  }
  for (ptrdiff_t y = 0; y < 4; ++y, to += 4 * apart) {
    const double a = rows[y][0], b = rows[y][1], c = rows[y][2];
    to[0] = (float)a;
    to[apart] = (float)((a + b + c) * 0.5);
    to[2 * apart] = (float)((a - b + c) * 0.5);
    to[3 * apart] = (float)c;
  }
}

#endif  // TENON_KERN_WINOGRAD_H
