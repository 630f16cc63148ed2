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
  const tenon_window g = tenon_window_upright(tenon_conv_window(c));
  const tenon_blocks b = tenon_blocks_of_groups(
      &g, c->in[0].dims[0], sizeof(float), (ptrdiff_t)a->groups);
  return tenon_blocks_items(&b);
}

// A convolution of floats whose weights a run computes: a block of rows by some
// channels of a group, whose weights a range packs when it comes to them, so
// blocks of the same channels are one after the other. A product is a column of
// pixels. Narrow groups are packed together.
typedef struct tenon_conv_made {
  tenon_window g;
  tenon_blocks blocks;  // of each image, for all channels
  ptrdiff_t groups, channels, depth;
  ptrdiff_t part, parts;  // channels of an item, and how many such a group has
} tenon_conv_made;

TENON_INLINE tenon_conv_made tenon_conv_made_of(const tenon_call *c) {
  const tenon_conv_attrs *a = (const tenon_conv_attrs *)c->attrs;
  const int32_t *w = c->in[1].dims;
  tenon_conv_made m;
  m.g = tenon_conv_window(c);
  if (tenon_is_product(&m.g)) {
    m.g.h *= m.g.w;
    m.g.out_h = m.g.h;
    m.g.w = m.g.out_w = 1;
  }
  m.g = tenon_window_upright(m.g);
  m.depth = w[3];
  m.groups = (ptrdiff_t)a->groups;
  if (tenon_is_narrow_group(m.groups, m.depth, w[0] / m.groups)) m.groups = 1;
  m.channels = w[0] / m.groups;
  // Of deep ones as many as stay in the second-level cache.
  m.part = m.g.kh * m.g.kw * m.depth > 2048 ? 2 * TENON_LANES : TENON_GROUP;
  m.parts = (m.channels + m.part - 1) / m.part;
  const ptrdiff_t row = m.g.w * m.g.c * (ptrdiff_t)sizeof(float) + 1;
  m.blocks = tenon_blocks_cut(c->in[0].dims[0], m.g.out_h, m.g.out_w,
                              m.channels, TENON_BLOCK_PIXELS, m.g.down * row,
                              (m.g.kh - 1) * m.g.dil_y * row, 1 << 17);
  return m;
}

TENON_INLINE int64_t tenon_conv_made_items(const tenon_call *c) {
  const tenon_conv_made m = tenon_conv_made_of(c);
  return (int64_t)m.groups * m.parts * m.blocks.images * m.blocks.count;
}

// Bytes of what follows sums of so many channels, at most, and of weights.
TENON_INLINE size_t tenon_made_size(ptrdiff_t channels, ptrdiff_t k) {
  return sizeof(tenon_packed_f32) +
         (size_t)(tenon_round_up(channels, TENON_LANES) * (k + 3)) *
             sizeof(float);
}

TENON_INLINE size_t tenon_conv_made_scratch(const tenon_call *c) {
  const tenon_conv_made m = tenon_conv_made_of(c);
  return tenon_made_size(m.channels < m.part ? m.channels : m.part,
                         m.g.kh * m.g.kw * m.depth);
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

TENON_INLINE size_t tenon_depthwise_made_scratch(const tenon_call *c) {
  const int32_t *w = c->in[1].dims;
  return tenon_made_size(w[3], (ptrdiff_t)w[1] * w[2]);
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
