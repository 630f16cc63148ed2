// kern/loop/window.h - a window that slides over an image: convolutions and
// pools.
//
// Images are channels-last, [n, h, w, c]. Taps that fall outside the image take
// no part: they are skipped, which for a convolution is the same as a border of
// zeros (or of zero points).
#ifndef TENON_KERN_WINDOW_H
#define TENON_KERN_WINDOW_H

#include "tenon/tensor.h"

typedef struct tenon_window {
  ptrdiff_t h, w, c;  // the image
  ptrdiff_t out_h, out_w, out_c;
  ptrdiff_t kh, kw;        // taps
  ptrdiff_t down, right;   // stride
  ptrdiff_t top, left;     // padding
  ptrdiff_t dil_y, dil_x;  // distance of taps
} tenon_window;

TENON_INLINE tenon_window tenon_window_of(const tenon_tensor *x,
                                          const tenon_tensor *y, int64_t kh,
                                          int64_t kw, const int64_t *stride,
                                          const int64_t *pad,
                                          const int64_t *dilation) {
  tenon_window g;
  g.h = x->dims[1];
  g.w = x->dims[2];
  g.c = x->dims[3];
  g.out_h = y->dims[1];
  g.out_w = y->dims[2];
  g.out_c = y->dims[3];
  g.kh = (ptrdiff_t)kh;
  g.kw = (ptrdiff_t)kw;
  g.down = (ptrdiff_t)stride[0];
  g.right = (ptrdiff_t)stride[1];
  g.top = (ptrdiff_t)pad[0];
  g.left = (ptrdiff_t)pad[1];
  g.dil_y = dilation ? (ptrdiff_t)dilation[0] : 1;
  g.dil_x = dilation ? (ptrdiff_t)dilation[1] : 1;
  return g;
}

// Along one axis: taps begin <= k < end of a window lie in the image, tap k at
// at + k * dilation.
typedef struct tenon_taps {
  ptrdiff_t at, begin, end;
} tenon_taps;

TENON_INLINE tenon_taps tenon_window_taps(ptrdiff_t out, ptrdiff_t stride,
                                          ptrdiff_t pad, ptrdiff_t dilation,
                                          ptrdiff_t taps, ptrdiff_t size) {
  tenon_taps t;
  t.at = out * stride - pad;
  t.begin = t.at < 0 ? (dilation - 1 - t.at) / dilation : 0;
  t.end = t.at < size ? (size - t.at + dilation - 1) / dilation : 0;
  if (t.end > taps) t.end = taps;
  if (t.begin > t.end) t.begin = t.end;
  return t;
}

TENON_INLINE tenon_taps tenon_window_rows(const tenon_window *g, ptrdiff_t oy) {
  return tenon_window_taps(oy, g->down, g->top, g->dil_y, g->kh, g->h);
}

TENON_INLINE tenon_taps tenon_window_columns(const tenon_window *g,
                                             ptrdiff_t ox) {
  return tenon_window_taps(ox, g->right, g->left, g->dil_x, g->kw, g->w);
}

#endif  // TENON_KERN_WINDOW_H
