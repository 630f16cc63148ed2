// kern/product/conv.h - attributes of core::conv, core::depthwise_conv and
// core::fully_connected, as their kernels see them.
//
// The structs are the ones that the descriptors in ops/core/product/core_conv.c
// bind.
#ifndef TENON_KERN_CONV_H
#define TENON_KERN_CONV_H

#include "kern/loop/window.h"
#include "tenon/attr.h"

typedef struct tenon_conv_attrs {
  tenon_ints stride;    // 2: down, right
  tenon_ints pad;       // 4: top, left, bottom, right
  tenon_ints dilation;  // 2
  int64_t groups;
  bool asymmetric;    // how a float x becomes integers where w is quantised
  bool single_scale;  // s_x * s_w is rounded to float before s_y divides it
  tenon_opt_float lo, hi;  // clamp in real numbers
} tenon_conv_attrs;

typedef struct tenon_depthwise_conv_attrs {
  tenon_ints stride, pad, dilation;
  bool asymmetric, single_scale;
  tenon_opt_float lo, hi;
} tenon_depthwise_conv_attrs;

// The window of either: their attributes begin alike.
TENON_INLINE tenon_window tenon_conv_window(const tenon_call *c) {
  const tenon_depthwise_conv_attrs *a =
      (const tenon_depthwise_conv_attrs *)c->attrs;
  const int32_t *w = c->in[1].dims;
  return tenon_window_of(&c->in[0], &c->out[0], w[1], w[2], a->stride.data,
                         a->pad.data, a->dilation.data);
}

typedef struct tenon_fully_connected_attrs {
  bool asymmetric;
  tenon_opt_float lo, hi;
} tenon_fully_connected_attrs;

// What follows a sum of floats, a number for each channel, or null.
typedef struct tenon_conv_tail {
  const float *bias, *scale, *shift;
} tenon_conv_tail;

TENON_INLINE tenon_conv_tail tenon_conv_tail_of(const tenon_call *c) {
  tenon_conv_tail t;
  t.bias = (const float *)c->in[2].data;
  t.scale = c->n_in > 3 ? (const float *)c->in[3].data : NULL;
  t.shift = c->n_in > 4 ? (const float *)c->in[4].data : NULL;
  return t;
}

TENON_INLINE float tenon_conv_finish_f32(const tenon_conv_tail *t, float sum,
                                         ptrdiff_t channel) {
  if (t->bias) sum += t->bias[channel];
  if (t->scale) sum *= t->scale[channel];
  if (t->shift) sum += t->shift[channel];
  return sum;
}

// Of kern/tile/conv_s8_tile.c: results of two pixels of so many channels at
// most are held back until what the pixels need has been read.
enum { TENON_CONV_TILE_HELD = 64 };

#endif  // TENON_KERN_CONV_H
