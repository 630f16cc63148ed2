// kern/op/move.h - attributes of the operators that move elements:
// core::reshape, permute, slice, pad, concat.
#ifndef TENON_KERN_MOVE_H
#define TENON_KERN_MOVE_H

#include "tenon/attr.h"

typedef struct tenon_reshape_attrs {
  tenon_ints shape;
} tenon_reshape_attrs;

typedef struct tenon_permute_attrs {
  tenon_ints dims;  // result dimension i is dimension dims[i] of the operand
} tenon_permute_attrs;

typedef struct tenon_slice_attrs {
  tenon_ints begin, size, step;  // an entry per dimension
} tenon_slice_attrs;

typedef struct tenon_pad_attrs {
  tenon_ints before, after;  // an entry per dimension, not negative
  double value;              // a real number
} tenon_pad_attrs;

// Packed for pad: one element, as it is stored; the rest is zero.
typedef struct tenon_pad_element {
  uint8_t bytes[8];
} tenon_pad_element;

// The same of complex numbers and strings of 16 bytes: zeros.
typedef struct tenon_pad_large {
  uint8_t bytes[16];
} tenon_pad_large;

typedef struct tenon_concat_attrs {
  int64_t axis;  // negative: from the end
} tenon_concat_attrs;

#endif  // TENON_KERN_MOVE_H
