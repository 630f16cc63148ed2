// kern/product/symmetric.h - symmetric matrices as L D L', where D has blocks
// of one and two rows: core::ldl and ldl_solve.
//
// The lower triangle is read, and holds L below D. Pivots are LAPACK's (sytrf):
// from 1, and negative, twice, for a block of two.
#ifndef TENON_KERN_SYMMETRIC_H
#define TENON_KERN_SYMMETRIC_H

#include "kern/product/factor.h"

typedef struct tenon_ldl_attrs {
  bool check;  // a block of D that is zero is a fault
} tenon_ldl_attrs;

TENON_INLINE void tenon_symmetric_swap(double *a, double *b) {
  const double kept = *a;
  *a = *b;
  *b = kept;
}

// The largest element beside the diagonal in row and column r, from k on.
TENON_INLINE double tenon_symmetric_most(const double *a, ptrdiff_t n,
                                         ptrdiff_t k, ptrdiff_t r) {
  double most = 0.0;
  for (ptrdiff_t j = k; j < n; ++j) {
    const double v = fabs(j < r ? a[r * n + j] : a[j * n + r]);
    if (j != r && v > most) most = v;
  }
  return most;
}

// Which row comes next, and how many rows its block has; 0: all is zero.
TENON_INLINE ptrdiff_t tenon_symmetric_pivot(const double *a, ptrdiff_t n,
                                             ptrdiff_t k, ptrdiff_t *row) {
  const double alpha = 0.6403882032022076;  // (1 + sqrt(17)) / 8
  const double own = fabs(a[k * n + k]);
  double column = 0.0, beside;
  ptrdiff_t r = k;
  for (ptrdiff_t i = k + 1; i < n; ++i) {
    if (fabs(a[i * n + k]) > column) {
      column = fabs(a[i * n + k]);
      r = i;
    }
  }
  *row = k;
  if (own != own || (own == 0.0 && column == 0.0)) return 0;
  if (own >= alpha * column) return 1;
  beside = tenon_symmetric_most(a, n, k, r);
  if (own >= alpha * column * (column / beside)) return 1;
  *row = r;
  return fabs(a[r * n + r]) >= alpha * beside ? 1 : 2;
}

// Rows and columns p < q of what is left exchanged.
TENON_INLINE void tenon_symmetric_exchange(double *a, ptrdiff_t n, ptrdiff_t p,
                                           ptrdiff_t q) {
  for (ptrdiff_t i = q + 1; i < n; ++i)
    tenon_symmetric_swap(&a[i * n + p], &a[i * n + q]);
  for (ptrdiff_t i = p + 1; i < q; ++i)
    tenon_symmetric_swap(&a[i * n + p], &a[q * n + i]);
  tenon_symmetric_swap(&a[p * n + p], &a[q * n + q]);
}

TENON_INLINE void tenon_symmetric_one(double *a, ptrdiff_t n, ptrdiff_t k) {
  const double d = 1.0 / a[k * n + k];
  for (ptrdiff_t j = k + 1; j < n; ++j)
    for (ptrdiff_t i = j; i < n; ++i)
      a[i * n + j] = fma(-d * a[j * n + k], a[i * n + k], a[i * n + j]);
  for (ptrdiff_t i = k + 1; i < n; ++i)
    a[i * n + k] *= d;
}

TENON_INLINE void tenon_symmetric_two(double *a, ptrdiff_t n, ptrdiff_t k) {
  const double beside = a[(k + 1) * n + k];
  const double low = a[(k + 1) * n + k + 1] / beside;
  const double high = a[k * n + k] / beside;
  const double d = 1.0 / (low * high - 1.0) / beside;
  for (ptrdiff_t j = k + 2; j < n; ++j) {
    const double x = a[j * n + k], y = a[j * n + k + 1];
    const double first = d * (low * x - y), second = d * (high * y - x);
    for (ptrdiff_t i = j; i < n; ++i)
      a[i * n + j] -= a[i * n + k] * first + a[i * n + k + 1] * second;
    a[j * n + k] = first;
    a[j * n + k + 1] = second;
  }
}

// In place. Returns which block is the first that is zero, from 1, or 0.
TENON_INLINE int32_t tenon_symmetric_factor(double *a, ptrdiff_t n,
                                            int32_t *pivots) {
  int32_t info = 0;
  for (ptrdiff_t k = 0, rows, from; k < n; k += rows) {
    const ptrdiff_t found = tenon_symmetric_pivot(a, n, k, &from);
    rows = found ? found : 1;
    if (!found && !info) info = (int32_t)k + 1;
    if (from != k + rows - 1)
      tenon_symmetric_exchange(a, n, k + rows - 1, from);
    if (rows == 2 && from != k + 1)
      tenon_symmetric_swap(&a[(k + 1) * n + k], &a[from * n + k]);
    if (found == 1) tenon_symmetric_one(a, n, k);
    if (found == 2) tenon_symmetric_two(a, n, k);
    for (ptrdiff_t i = 0; i < rows; ++i)
      pivots[k + i] = (int32_t)(rows == 1 ? from + 1 : -(from + 1));
  }
  return info;
}

// Row i of x, [n, m], less f times row j.
TENON_INLINE void tenon_symmetric_less(double *x, ptrdiff_t m, ptrdiff_t i,
                                       ptrdiff_t j, double f) {
  for (ptrdiff_t c = 0; c < m; ++c)
    x[i * m + c] = fma(-f, x[j * m + c], x[i * m + c]);
}

TENON_INLINE void tenon_symmetric_rows(double *x, ptrdiff_t m, ptrdiff_t i,
                                       ptrdiff_t j) {
  for (ptrdiff_t c = 0; i != j && c < m; ++c)
    tenon_symmetric_swap(&x[i * m + c], &x[j * m + c]);
}

// Rows k and k + 1 by the inverse of the block of D that is there.
TENON_INLINE void tenon_symmetric_divide(const double *a, ptrdiff_t n,
                                         double *x, ptrdiff_t m, ptrdiff_t k) {
  const double beside = a[(k + 1) * n + k];
  const double high = a[k * n + k] / beside;
  const double low = a[(k + 1) * n + k + 1] / beside;
  const double d = high * low - 1.0;
  for (ptrdiff_t c = 0; c < m; ++c) {
    const double p = x[k * m + c] / beside, q = x[(k + 1) * m + c] / beside;
    x[k * m + c] = (low * p - q) / d;
    x[(k + 1) * m + c] = (high * q - p) / d;
  }
}

// The row that a pivot names, from 0.
TENON_INLINE ptrdiff_t tenon_symmetric_from(int32_t pivot) {
  const ptrdiff_t p = pivot;
  return (p < 0 ? -p : p) - 1;
}

// x, [n, m], becomes what the matrix with these factors makes x of. False where
// a pivot names no row.
TENON_INLINE bool tenon_symmetric_solve(const double *a, const int32_t *pivots,
                                        double *x, ptrdiff_t n, ptrdiff_t m) {
  ptrdiff_t rows;
  for (ptrdiff_t k = 0; k < n; k += rows) {
    const ptrdiff_t from = tenon_symmetric_from(pivots[k]);
    rows = pivots[k] < 0 ? 2 : 1;
    if (from < 0 || from >= n || k + rows > n) return false;
    if (rows == 2 && pivots[k + 1] != pivots[k]) return false;
    tenon_symmetric_rows(x, m, k + rows - 1, from);
    for (ptrdiff_t j = k; j < k + rows; ++j)
      for (ptrdiff_t i = k + rows; i < n; ++i)
        tenon_symmetric_less(x, m, i, j, a[i * n + j]);
    for (ptrdiff_t c = 0; rows == 1 && c < m; ++c)
      x[k * m + c] /= a[k * n + k];
    if (rows == 2) tenon_symmetric_divide(a, n, x, m, k);
  }
  for (ptrdiff_t k = n - 1; k >= 0; k -= rows) {
    rows = pivots[k] < 0 ? 2 : 1;
    for (ptrdiff_t j = k - rows + 1; j <= k; ++j)
      for (ptrdiff_t i = k + 1; i < n; ++i)
        tenon_symmetric_less(x, m, j, i, a[i * n + j]);
    tenon_symmetric_rows(x, m, k, tenon_symmetric_from(pivots[k]));
  }
  return true;
}

#endif  // TENON_KERN_SYMMETRIC_H
