// kern/product/matmul.h - core::matmul: products of matrices, one for each
// batch.
//
// Each output is one chain over k, begun at zero. The loop goes over a row of
// outputs for every k, so that a compiler may compute several at a time: the
// chains stay what they are.
#ifndef TENON_KERN_MATMUL_H
#define TENON_KERN_MATMUL_H

#include "tenon/tensor.h"

// How many elements before the matrix of an operand that belongs to batch
// `batch` of the result; dimensions of 1 are repeated.
TENON_INLINE ptrdiff_t tenon_matmul_at(const tenon_tensor *x,
                                       const tenon_tensor *y, ptrdiff_t batch) {
  ptrdiff_t below = (ptrdiff_t)x->dims[x->rank - 1] * x->dims[x->rank - 2];
  ptrdiff_t at = 0;
  for (int32_t d = y->rank - 3; d >= 0; batch /= y->dims[d], --d) {
    int32_t own = d - (y->rank - x->rank);
    if (own < 0) break;
    if (x->dims[own] != 1) at += batch % y->dims[d] * below;
    below *= x->dims[own];
  }
  return at;
}

// Defines the kernel `name`, whose items are rows of the result. `expr` adds a
// product of `a` and `b` to `sum`.
#define TENON_MATMUL_KERNEL(name, T, expr)                                  \
  TENON_KERNEL_RANGE(name) {                                                \
    const tenon_tensor *p = &c->in[0], *q = &c->in[1], *y = &c->out[0];     \
    const ptrdiff_t m = p->dims[p->rank - 2], depth = p->dims[p->rank - 1]; \
    const ptrdiff_t n = q->dims[q->rank - 1];                               \
    for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {   \
      const T *from = (const T *)p->data + tenon_matmul_at(p, y, row / m) + \
                      row % m * depth;                                      \
      const T *other = (const T *)q->data + tenon_matmul_at(q, y, row / m); \
      T *to = (T *)y->data + row * n;                                       \
      for (ptrdiff_t j = 0; j < n; ++j)                                     \
        to[j] = 0;                                                          \
      for (ptrdiff_t k = 0; k < depth; ++k, other += n) {                   \
        const T a = from[k];                                                \
        for (ptrdiff_t j = 0; j < n; ++j) {                                 \
          const T b = other[j], sum = to[j];                                \
          to[j] = expr;                                                     \
        }                                                                   \
      }                                                                     \
    }                                                                       \
    return TENON_OK;                                                        \
  }

// The same for quantised elements, T, summed up in Acc: `stored` makes an
// element of the result of `sum`, by the packed `r`.
#define TENON_MATMUL_STORED(name, T, Acc, stored)                            \
  TENON_KERNEL_RANGE(name) {                                                 \
    const tenon_requant *r = (const tenon_requant *)c->packed;               \
    const tenon_tensor *p = &c->in[0], *q = &c->in[1], *y = &c->out[0];      \
    const ptrdiff_t m = p->dims[p->rank - 2], depth = p->dims[p->rank - 1];  \
    const ptrdiff_t n = q->dims[q->rank - 1];                                \
    for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {    \
      const T *from = (const T *)p->data + tenon_matmul_at(p, y, row / m) +  \
                      row % m * depth;                                       \
      const T *other = (const T *)q->data + tenon_matmul_at(q, y, row / m);  \
      for (ptrdiff_t j = 0; j < n; ++j) {                                    \
        Acc sum = 0;                                                         \
        for (ptrdiff_t k = 0; k < depth; ++k)                                \
          sum +=                                                             \
              (Acc)((from[k] - r->x_zero) * (other[k * n + j] - r->w_zero)); \
        ((T *)y->data)[row * n + j] = stored;                                \
      }                                                                      \
    }                                                                        \
    return TENON_OK;                                                         \
  }

#endif  // TENON_KERN_MATMUL_H
