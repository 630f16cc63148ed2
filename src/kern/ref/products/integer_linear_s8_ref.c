// integer_linear_s8_ref.c - rows of integers times a transposed matrix of
// integers, in 32 bits.
//
// Items are outputs. Sums are modulo 2^32.
#include "kern/product/integer_linear.h"

TENON_KERNEL_RANGE(tenon_k_integer_linear_s8_ref) {
  const ptrdiff_t n = c->in[1].dims[0], depth = c->in[1].dims[1];
  int32_t *y = (int32_t *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i)
    y[i] = tenon_integer_products((const int8_t *)c->in[0].data + i / n * depth,
                                  (const int8_t *)c->in[1].data + i % n * depth,
                                  0, depth);
  return TENON_OK;
}
