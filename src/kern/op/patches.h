// kern/op/patches.h - core::im2col and core::col2im: windows of images as
// columns, and columns added up to images.
//
// Images are [n, c, h, w], columns [n, c * kh * kw, rows * columns of windows].
#ifndef TENON_KERN_PATCHES_H
#define TENON_KERN_PATCHES_H

#include "kern/loop/window.h"

typedef struct tenon_im2col_attrs {
  tenon_ints window, dilation, pad, stride;  // 2 each: h, w
} tenon_im2col_attrs;

typedef struct tenon_col2im_attrs {
  tenon_ints size, window, dilation, pad, stride;  // 2 each: h, w
} tenon_col2im_attrs;

// How many windows fit along dimension i of an image.
TENON_INLINE ptrdiff_t tenon_patches(ptrdiff_t size, int32_t i,
                                     const int64_t *window,
                                     const int64_t *dilation,
                                     const int64_t *pad,
                                     const int64_t *stride) {
  return (ptrdiff_t)((size + 2 * pad[i] - dilation[i] * (window[i] - 1) - 1) /
                         stride[i] +
                     1);
}

#define TENON_COL2IM_KERNEL(name, T)                                          \
  TENON_KERNEL_RANGE(name) {                                                  \
    const tenon_col2im_attrs *a = (const tenon_col2im_attrs *)c->attrs;       \
    const int32_t *dims = c->out[0].dims;                                     \
    const ptrdiff_t h = dims[2], w = dims[3];                                 \
    const ptrdiff_t kh = (ptrdiff_t)a->window.data[0];                        \
    const ptrdiff_t kw = (ptrdiff_t)a->window.data[1];                        \
    const ptrdiff_t rows = tenon_patches(                                     \
        h, 0, a->window.data, a->dilation.data, a->pad.data, a->stride.data); \
    const ptrdiff_t columns = tenon_patches(                                  \
        w, 1, a->window.data, a->dilation.data, a->pad.data, a->stride.data); \
    for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {           \
      const T *x = (const T *)c->in[0].data + i * kh * kw * rows * columns;   \
      T *y = (T *)c->out[0].data + i * h * w;                                 \
      for (ptrdiff_t j = 0; j < h * w; ++j)                                   \
        y[j] = 0;                                                             \
      for (ptrdiff_t k = 0; k < kh * kw * rows * columns; ++k) {              \
        const ptrdiff_t tap = k / columns / rows;                             \
        const int64_t at_y = k / columns % rows * a->stride.data[0] -         \
                             a->pad.data[0] + tap / kw * a->dilation.data[0]; \
        const int64_t at_x = k % columns * a->stride.data[1] -                \
                             a->pad.data[1] + tap % kw * a->dilation.data[1]; \
        if (at_y >= 0 && at_y < h && at_x >= 0 && at_x < w)                   \
          y[at_y * w + at_x] += x[k];                                         \
      }                                                                       \
    }                                                                         \
    return TENON_OK;                                                          \
  }

#endif  // TENON_KERN_PATCHES_H
