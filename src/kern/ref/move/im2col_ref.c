// im2col_ref.c - windows of images as columns, for elements of whole bytes.
//
// Items are channels of images.
#include "kern/loop/element.h"
#include "kern/op/patches.h"

TENON_KERNEL_RANGE(tenon_k_im2col_ref) {
  const tenon_im2col_attrs *a = (const tenon_im2col_attrs *)c->attrs;
  const ptrdiff_t size = tenon_element_size(&c->in[0]);
  const ptrdiff_t h = c->in[0].dims[2], w = c->in[0].dims[3];
  const ptrdiff_t kh = (ptrdiff_t)a->window.data[0];
  const ptrdiff_t kw = (ptrdiff_t)a->window.data[1];
  const ptrdiff_t columns = tenon_patches(
      w, 1, a->window.data, a->dilation.data, a->pad.data, a->stride.data);
  const ptrdiff_t rows = columns ? c->out[0].dims[2] / columns : 0;
  const unsigned char *x = (const unsigned char *)c->in[0].data;
  unsigned char *y = (unsigned char *)c->out[0].data;
  y += (ptrdiff_t)begin * kh * kw * rows * columns * size;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    for (ptrdiff_t k = 0; k < kh * kw * rows * columns; ++k, y += size) {
      const ptrdiff_t tap = k / columns / rows;
      const int64_t at_y = k / columns % rows * a->stride.data[0] -
                           a->pad.data[0] + tap / kw * a->dilation.data[0];
      const int64_t at_x = k % columns * a->stride.data[1] - a->pad.data[1] +
                           tap % kw * a->dilation.data[1];
      if (at_y >= 0 && at_y < h && at_x >= 0 && at_x < w)
        memcpy(y, x + ((i * h + at_y) * w + at_x) * size, (size_t)size);
      else
        memset(y, 0, (size_t)size);
    }
  }
  return TENON_OK;
}
