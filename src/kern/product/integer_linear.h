// kern/product/integer_linear.h - rows of integers times a transposed matrix of
// integers: what core::integer_linear and core::dynamic_linear share.
#ifndef TENON_KERN_INTEGER_LINEAR_H
#define TENON_KERN_INTEGER_LINEAR_H

#include "tenon/tensor.h"

// The sum of (x - zero) * w, modulo 2^32.
TENON_INLINE int32_t tenon_integer_products(const int8_t *x, const int8_t *w,
                                            int32_t zero, ptrdiff_t n) {
  uint32_t sum = 0;
  for (ptrdiff_t k = 0; k < n; ++k)
    sum += ((uint32_t)x[k] - (uint32_t)zero) * (uint32_t)w[k];
  return (int32_t)sum;
}

// What core::dynamic_linear knows of a row: operands 2 and 3, which have a
// number for each row or one for all.
typedef struct tenon_integer_row {
  float scale;
  int32_t zero;
} tenon_integer_row;

TENON_INLINE tenon_integer_row tenon_integer_row_of(const tenon_call *c,
                                                    ptrdiff_t row) {
  const float *scale = (const float *)c->in[2].data;
  const int32_t *zero = (const int32_t *)c->in[3].data;
  tenon_integer_row r;
  r.scale = scale[tenon_count(&c->in[2]) == 1 ? 0 : row];
  r.zero = !zero ? 0 : zero[tenon_count(&c->in[3]) == 1 ? 0 : row];
  return r;
}

#endif  // TENON_KERN_INTEGER_LINEAR_H
