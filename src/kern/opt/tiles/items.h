// kern/opt/tiles/items.h - how many items a call has, of kernels whose items
// are the blocks of kern/opt/tiles/blocks.h and whose sizes may be open.
//
// For the machine that compiles the model, and for emitted C, which counts anew
// for the sizes of each run.
#ifndef TENON_KERN_OPT_ITEMS_H
#define TENON_KERN_OPT_ITEMS_H

#include "kern/opt/tiles/blocks.h"
#include "kern/product/conv.h"

TENON_INLINE int64_t tenon_conv_f32_items(const tenon_call *c) {
  const tenon_conv_attrs *a = (const tenon_conv_attrs *)c->attrs;
  const int32_t *w = c->in[1].dims;
  const tenon_window g = tenon_window_upright(
      tenon_window_of(&c->in[0], &c->out[0], w[1], w[2], a->stride.data,
                      a->pad.data, a->dilation.data));
  const tenon_blocks b = tenon_blocks_of_groups(
      &g, c->in[0].dims[0], sizeof(float), (ptrdiff_t)a->groups);
  return tenon_blocks_items(&b);
}

// Of floats an item of a depthwise convolution is a row, but an image of one
// row is cut: so many outputs a part, which the sizes of register tiles divide.
#define TENON_DEPTHWISE_PART 56
TENON_INLINE bool tenon_depthwise_f32_is_cut(const tenon_call *c) {
  return c->out[0].dims[0] == 1 && c->out[0].dims[1] == 1;
}
TENON_INLINE int64_t tenon_depthwise_f32_items(const tenon_call *c) {
  const int32_t *d = c->out[0].dims;
  return tenon_depthwise_f32_is_cut(c)
             ? (d[2] + TENON_DEPTHWISE_PART - 1) / TENON_DEPTHWISE_PART
             : (int64_t)d[0] * d[1];
}

// `value`: bytes of an input as the kernel multiplies it.
TENON_INLINE int64_t tenon_fully_connected_items(const tenon_call *c,
                                                 ptrdiff_t value) {
  const tenon_matrix p = tenon_matrix_of(c);
  const tenon_blocks b = tenon_blocks_of_product(p.m, p.k, p.n, value);
  return tenon_blocks_items(&b);
}

TENON_INLINE int64_t tenon_integer_linear_items(const tenon_call *c,
                                                ptrdiff_t value) {
  return tenon_count(&c->out[0]) ? tenon_fully_connected_items(c, value) : 0;
}

#endif  // TENON_KERN_OPT_ITEMS_H
