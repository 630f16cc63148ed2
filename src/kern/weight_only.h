// kern/weight_only.h - core::weight_only_linear: rows of floats times a
// transposed matrix of integers that is scaled in blocks of its rows.
//
// A weight is (q - zero) * scale, each operation rounded to f32, as programs
// write it that make a matrix of floats first; the products are added up as
// core::fully_connected adds them, so both have the same bits.
#ifndef TENON_KERN_WEIGHT_ONLY_H
#define TENON_KERN_WEIGHT_ONLY_H

#include "tenon/tensor.h"

// Integer i of 4 bits: two in a byte, the low half first.
TENON_INLINE int32_t tenon_weight_only_half(const uint8_t *w, ptrdiff_t i) {
  const int32_t half = w[i / 2] >> (i % 2 ? 4 : 0) & 15;
  return half < 8 ? half : half - 16;
}

// Integers of a row that share a scale and a zero point.
TENON_INLINE ptrdiff_t tenon_weight_only_block(const tenon_call *c) {
  const tenon_tensor *by = c->in[2].dtype ? &c->in[2] : &c->in[3];
  return by->dtype ? c->in[1].dims[1] / by->dims[1] : c->in[1].dims[1];
}

#endif  // TENON_KERN_WEIGHT_ONLY_H
