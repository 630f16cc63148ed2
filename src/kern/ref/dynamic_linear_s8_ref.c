// dynamic_linear_s8_ref.c - rows of integers whose scales a run finds out,
// times a transposed matrix of scaled integers.
//
// Items are outputs. Sums of a block are exact; those of blocks are one chain
// of fused multiply-adds, begun at zero.
#include <math.h>

#include "kern/integer_linear.h"

TENON_KERNEL_RANGE(tenon_k_dynamic_linear_s8_ref) {
  const float *scale = (const float *)c->in[4].data;
  const float *bias = (const float *)c->in[5].data;
  const ptrdiff_t n = c->in[1].dims[0], depth = c->in[1].dims[1];
  const ptrdiff_t blocks = scale ? c->in[4].dims[1] : 1;
  const ptrdiff_t block = depth / blocks;
  float *y = (float *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    const ptrdiff_t row = i / n, j = i % n;
    const tenon_integer_row of = tenon_integer_row_of(c, row);
    const int8_t *x = (const int8_t *)c->in[0].data + row * depth;
    const int8_t *w = (const int8_t *)c->in[1].data + j * depth;
    float acc = 0.0f;
    for (ptrdiff_t b = 0; b < blocks; ++b) {
      const int32_t sum =
          tenon_integer_products(x + b * block, w + b * block, of.zero, block);
      acc = fmaf((float)sum, scale ? scale[j * blocks + b] : 1.0f, acc);
    }
    acc *= of.scale;
    if (bias) acc += bias[j];
    y[i] = acc;
  }
  return TENON_OK;
}
