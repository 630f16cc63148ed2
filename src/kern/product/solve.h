// kern/product/solve.h - core::det and core::inverse of small dense matrices,
// by elimination with the largest pivot of each column.
//
// Items are matrices; each has a copy in scratch.
#ifndef TENON_KERN_SOLVE_H
#define TENON_KERN_SOLVE_H

#include <string.h>

#include "tenon/tensor.h"

typedef struct tenon_inverse_attrs {
  bool check;  // a matrix without an inverse is a fault
} tenon_inverse_attrs;

#define TENON_SOLVE_FUNCTIONS(name, T, FABS)                             \
  static void name##_swap(T *a, ptrdiff_t n, ptrdiff_t i, ptrdiff_t j) { \
    for (ptrdiff_t k = 0; k < n && i != j; ++k) {                        \
      const T kept = a[i * n + k];                                       \
      a[i * n + k] = a[j * n + k];                                       \
      a[j * n + k] = kept;                                               \
    }                                                                    \
  }                                                                      \
  static ptrdiff_t name##_pivot(const T *a, ptrdiff_t n, ptrdiff_t k) {  \
    ptrdiff_t best = k;                                                  \
    for (ptrdiff_t i = k + 1; i < n; ++i)                                \
      if (FABS(a[i * n + k]) > FABS(a[best * n + k])) best = i;          \
    return best;                                                         \
  }

#define TENON_DET_KERNEL(name, T, FMA, FABS)                                 \
  TENON_SOLVE_FUNCTIONS(name, T, FABS)                                       \
  TENON_KERNEL_RANGE(name) {                                                 \
    const ptrdiff_t n = c->in[0].dims[c->in[0].rank - 1];                    \
    T *a = (T *)c->scratch;                                                  \
    for (ptrdiff_t item = (ptrdiff_t)begin; item < (ptrdiff_t)end; ++item) { \
      T det = 1;                                                             \
      if (n)                                                                 \
        memcpy(a, (const T *)c->in[0].data + item * n * n,                   \
               (size_t)(n * n) * sizeof(T));                                 \
      for (ptrdiff_t k = 0; k < n; ++k) {                                    \
        const ptrdiff_t p = name##_pivot(a, n, k);                           \
        name##_swap(a, n, k, p);                                             \
        det *= p == k ? a[k * n + k] : -a[k * n + k];                        \
        if (a[k * n + k] == 0) break;                                        \
        for (ptrdiff_t i = k + 1; i < n; ++i) {                              \
          const T f = -(a[i * n + k] / a[k * n + k]);                        \
          for (ptrdiff_t j = k + 1; j < n; ++j)                              \
            a[i * n + j] = FMA(f, a[k * n + j], a[i * n + j]);               \
        }                                                                    \
      }                                                                      \
      ((T *)c->out[0].data)[item] = det;                                     \
    }                                                                        \
    return TENON_OK;                                                         \
  }

// The second result is 0, or which pivot was zero, counted from 1; the inverse
// is then not one.
#define TENON_INVERSE_KERNEL(name, T, FMA, FABS)                               \
  TENON_SOLVE_FUNCTIONS(name, T, FABS)                                         \
  static int32_t name##_one(T *a, T *y, ptrdiff_t n) {                         \
    for (ptrdiff_t i = 0; i < n * n; ++i)                                      \
      y[i] = i / n == i % n;                                                   \
    for (ptrdiff_t k = 0; k < n; ++k) {                                        \
      const ptrdiff_t p = name##_pivot(a, n, k);                               \
      name##_swap(a, n, k, p);                                                 \
      name##_swap(y, n, k, p);                                                 \
      const T pivot = a[k * n + k];                                            \
      if (pivot == 0) return (int32_t)k + 1;                                   \
      for (ptrdiff_t j = 0; j < n; ++j) {                                      \
        a[k * n + j] /= pivot;                                                 \
        y[k * n + j] /= pivot;                                                 \
      }                                                                        \
      for (ptrdiff_t i = 0; i < n; ++i) {                                      \
        const T f = -a[i * n + k];                                             \
        for (ptrdiff_t j = 0; j < n && i != k; ++j) {                          \
          a[i * n + j] = FMA(f, a[k * n + j], a[i * n + j]);                   \
          y[i * n + j] = FMA(f, y[k * n + j], y[i * n + j]);                   \
        }                                                                      \
      }                                                                        \
    }                                                                          \
    return 0;                                                                  \
  }                                                                            \
  TENON_KERNEL_RANGE(name) {                                                   \
    const ptrdiff_t n = c->in[0].dims[c->in[0].rank - 1];                      \
    for (ptrdiff_t item = (ptrdiff_t)begin; item < (ptrdiff_t)end; ++item) {   \
      if (n)                                                                   \
        memcpy(c->scratch, (const T *)c->in[0].data + item * n * n,            \
               (size_t)(n * n) * sizeof(T));                                   \
      const int32_t info =                                                     \
          name##_one((T *)c->scratch, (T *)c->out[0].data + item * n * n, n);  \
      if (info && ((const tenon_inverse_attrs *)c->attrs)->check)              \
        return tenon_call_fail(c, "matrix {0} has no inverse: pivot {1} is 0", \
                               item, info);                                    \
      ((int32_t *)c->out[1].data)[item] = info;                                \
    }                                                                          \
    return TENON_OK;                                                           \
  }

#endif  // TENON_KERN_SOLVE_H
