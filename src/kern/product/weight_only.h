// kern/product/weight_only.h - core::weight_only_linear: rows of floats times a
// transposed matrix of integers that is scaled in blocks of its rows.
//
// Integers less their zero points (rounded to f32) are multiplied by x in one
// chain of fused multiply-adds for each block, begun at zero; the chain of the
// row, begun at zero, adds the sum of each block times its scale, in one
// rounding. So an integer is rounded with its scale in no product, and takes no
// multiplication. A zero point that is added makes a weight of its own,
// fma(q, scale, zero), and the row is one chain of all products.
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

// The products of a block of integers, those from `at` on, added to `sum`;
// `zero` of it is subtracted, or what is scaled is added to it.
TENON_INLINE float tenon_weight_only_sum(const tenon_call *c, bool is_narrow,
                                         const float *x, ptrdiff_t at,
                                         ptrdiff_t block, float sum) {
  const float *scale = (const float *)c->in[2].data;
  const float *zero = (const float *)c->in[3].data;
  const bool adds = ((const tenon_weight_only_attrs *)c->attrs)->adds;
  const uint8_t *halves = (const uint8_t *)c->packed;
  const int8_t *bytes = (const int8_t *)c->in[1].data;
  for (ptrdiff_t k = 0; k < block; ++k) {
    float v = (float)(is_narrow ? tenon_nibble(halves, at + k) : bytes[at + k]);
    if (adds)
      v = fmaf(v, scale[at / block], zero[at / block]);
    else if (zero)
      v -= zero[at / block];
    sum = fmaf(x[k], v, sum);
  }
  return sum;
}

// Outputs from begin to end of either reference kernel: integers of 4 bits are
// packed, those of 8 the operand. The bias is added last.
TENON_INLINE tenon_status tenon_weight_only_chains(const tenon_call *c,
                                                   bool is_narrow,
                                                   int64_t begin, int64_t end) {
  const float *scale = (const float *)c->in[2].data;
  const float *bias = (const float *)c->in[4].data;
  const ptrdiff_t n = c->in[1].dims[0], depth = c->in[1].dims[1];
  const ptrdiff_t block = tenon_weight_only_block(c);
  const bool adds = ((const tenon_weight_only_attrs *)c->attrs)->adds;
  float *y = (float *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    const float *x = (const float *)c->in[0].data + i / n * depth;
    float acc = 0.0f;
    for (ptrdiff_t k = 0; k < depth; k += block) {
      const ptrdiff_t at = i % n * depth + k;
      const float sum = tenon_weight_only_sum(c, is_narrow, x + k, at, block,
                                              adds ? acc : 0.0f);
      acc = adds ? sum : fmaf(sum, scale ? scale[at / block] : 1.0f, acc);
    }
    if (bias) acc += bias[i % n];
    y[i] = acc;
  }
  return TENON_OK;
}

#endif  // TENON_KERN_WEIGHT_ONLY_H
