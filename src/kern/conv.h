// kern/conv.h - attributes of core::conv, core::depthwise_conv and
// core::fully_connected, as their kernels see them.
//
// The structs are the ones that the descriptors in ops/core/core_conv.c bind.
#ifndef TENON_KERN_CONV_H
#define TENON_KERN_CONV_H

#include "tenon/attr.h"

typedef struct tenon_conv_attrs {
  tenon_ints stride;    // 2: down, right
  tenon_ints pad;       // 4: top, left, bottom, right
  tenon_ints dilation;  // 2
  int64_t groups;
  bool asymmetric;  // how a float x becomes integers where w is quantised
  tenon_opt_float lo, hi;  // clamp in real numbers
} tenon_conv_attrs;

typedef struct tenon_depthwise_conv_attrs {
  tenon_ints stride, pad, dilation;
  bool asymmetric;
  tenon_opt_float lo, hi;
} tenon_depthwise_conv_attrs;

typedef struct tenon_fully_connected_attrs {
  bool asymmetric;
  tenon_opt_float lo, hi;
} tenon_fully_connected_attrs;

// Of kern/tile/conv_s8_tile.c: results of two pixels of so many channels at
// most are held back until what the pixels need has been read.
enum { TENON_CONV_TILE_HELD = 64 };

#endif  // TENON_KERN_CONV_H
