// kern/product/weight_only.h - core::weight_only_linear: rows of floats times a
// transposed matrix of integers that is scaled in blocks of its rows.
//
// A weight is (q - zero) * scale, each operation rounded to f32, as programs
// write it that make a matrix of floats first, or fma(q, scale, zero); the
// products are added up as core::fully_connected adds them, so both have the
// same bits.
#ifndef TENON_KERN_WEIGHT_ONLY_H
#define TENON_KERN_WEIGHT_ONLY_H

#include <math.h>

#include "kern/num/nibble.h"
#include "tenon/attr.h"

typedef struct tenon_weight_only_attrs {
  bool adds;  // a zero point is added to the scaled integer
} tenon_weight_only_attrs;

// Integers of a row that share a scale and a zero point.
TENON_INLINE ptrdiff_t tenon_weight_only_block(const tenon_call *c) {
  const tenon_tensor *by = c->in[2].dtype ? &c->in[2] : &c->in[3];
  return by->dtype ? c->in[1].dims[1] / by->dims[1] : c->in[1].dims[1];
}

// Outputs from begin to end of either reference kernel: integers of 4 bits are
// packed, those of 8 the operand. Each is one chain of fused multiply-adds over
// k, begun at zero, the bias added last.
TENON_INLINE tenon_status tenon_weight_only_chains(const tenon_call *c,
                                                   bool is_narrow,
                                                   int64_t begin, int64_t end) {
  const float *scale = (const float *)c->in[2].data;
  const float *zero = (const float *)c->in[3].data;
  const float *bias = (const float *)c->in[4].data;
  const ptrdiff_t n = c->in[1].dims[0], depth = c->in[1].dims[1];
  const ptrdiff_t block = tenon_weight_only_block(c);
  const bool adds = ((const tenon_weight_only_attrs *)c->attrs)->adds;
  const uint8_t *halves = (const uint8_t *)c->packed;
  const int8_t *bytes = (const int8_t *)c->in[1].data;
  float *y = (float *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    const float *p = (const float *)c->in[0].data + i / n * depth;
    const ptrdiff_t row = i % n * depth;
    float acc = 0.0f;
    for (ptrdiff_t k = 0; k < depth; ++k) {
      const ptrdiff_t at = (row + k) / block;
      float v =
          (float)(is_narrow ? tenon_nibble(halves, row + k) : bytes[row + k]);
      if (adds) {
        v = fmaf(v, scale[at], zero[at]);
      } else {
        if (zero) v -= zero[at];
        if (scale) v *= scale[at];
      }
      acc = fmaf(p[k], v, acc);
    }
    if (bias) acc += bias[i % n];
    y[i] = acc;
  }
  return TENON_OK;
}

#endif  // TENON_KERN_WEIGHT_ONLY_H
