// kern/product/dynamic_linear.h - core::dynamic_linear: rows of integers whose
// scales a run finds out, times a transposed matrix of scaled integers.
//
// Items are outputs. Sums of a block are exact; those of blocks are one chain
// of fused multiply-adds, begun at zero.
#ifndef TENON_KERN_DYNAMIC_LINEAR_H
#define TENON_KERN_DYNAMIC_LINEAR_H

#include <math.h>

#include "kern/num/nibble.h"
#include "kern/product/integer_linear.h"

// The sum of (x - zero) * w, modulo 2^32, with w from element `at` of halves.
TENON_INLINE int32_t tenon_dynamic_linear_halves(const int8_t *x,
                                                 const uint8_t *w, ptrdiff_t at,
                                                 int32_t zero, ptrdiff_t n) {
  uint32_t sum = 0;
  for (ptrdiff_t k = 0; k < n; ++k)
    sum +=
        ((uint32_t)x[k] - (uint32_t)zero) * (uint32_t)tenon_nibble(w, at + k);
  return (int32_t)sum;
}

// Either reference kernel: integers of 4 bits are packed, those of 8 the
// operand.
TENON_INLINE tenon_status tenon_dynamic_linear_sums(const tenon_call *c,
                                                    bool is_narrow,
                                                    int64_t begin,
                                                    int64_t end) {
  const float *scale = (const float *)c->in[4].data;
  const float *bias = (const float *)c->in[5].data;
  const ptrdiff_t n = c->in[1].dims[0], depth = c->in[1].dims[1];
  const ptrdiff_t blocks = scale ? c->in[4].dims[1] : 1;
  const ptrdiff_t block = depth / blocks;
  const uint8_t *halves = (const uint8_t *)c->packed;
  const int8_t *bytes = (const int8_t *)c->in[1].data;
  float *y = (float *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    const ptrdiff_t row = i / n, j = i % n;
    const tenon_integer_row of = tenon_integer_row_of(c, row);
    const int8_t *x = (const int8_t *)c->in[0].data + row * depth;
    float acc = 0.0f;
    for (ptrdiff_t b = 0; b < blocks; ++b) {
      const ptrdiff_t at = j * depth + b * block;
      const int32_t sum = is_narrow
                              ? tenon_dynamic_linear_halves(
                                    x + b * block, halves, at, of.zero, block)
                              : tenon_integer_products(
                                    x + b * block, bytes + at, of.zero, block);
      acc = fmaf((float)sum, scale ? scale[j * blocks + b] : 1.0f, acc);
    }
    acc *= of.scale;
    if (bias) acc += bias[j];
    y[i] = acc;
  }
  return TENON_OK;
}

#endif  // TENON_KERN_DYNAMIC_LINEAR_H
