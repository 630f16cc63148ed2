// kern/product/factor.h - factors of small dense matrices: core::lu, cholesky,
// qr, reflections, reflected, eigh, svd and solve_triangular.
//
// All compute in doubles, in scratch, and round once. Items are matrices, which
// lie row by row.
#ifndef TENON_KERN_FACTOR_H
#define TENON_KERN_FACTOR_H

#include <math.h>

#include "tenon/tensor.h"

typedef struct tenon_lu_attrs {
  bool check;  // what is singular is a fault
} tenon_lu_attrs;

typedef struct tenon_cholesky_attrs {
  bool upper;  // what is read and made of a matrix: the upper triangle
  bool check;  // what is not positive-definite is a fault
} tenon_cholesky_attrs;

typedef struct tenon_solve_triangular_attrs {
  bool upper;
  bool unit;  // the diagonal counts as ones
} tenon_solve_triangular_attrs;

typedef struct tenon_orthogonal_factor_attrs {
  bool complete;  // orthogonal matrices are square
} tenon_orthogonal_factor_attrs;

typedef struct tenon_eigh_attrs {
  bool upper;  // which triangle is read
} tenon_eigh_attrs;

typedef struct tenon_reflected_attrs {
  bool complete;  // as many columns as rows
} tenon_reflected_attrs;

typedef struct tenon_permutation_attrs {
  int64_t rows;
} tenon_permutation_attrs;

TENON_INLINE ptrdiff_t tenon_factor_rows(const tenon_tensor *x) {
  return x->dims[x->rank - 2];
}
TENON_INLINE ptrdiff_t tenon_factor_columns(const tenon_tensor *x) {
  return x->dims[x->rank - 1];
}

// Elimination in place with the largest pivot of each column; `at` is where
// each row came from. Returns which pivot is the first that is zero, from 1, or
// 0.
TENON_INLINE int32_t tenon_factor_lu(double *a, ptrdiff_t m, ptrdiff_t n,
                                     int32_t *pivots, int64_t *at) {
  int32_t info = 0;
  for (ptrdiff_t i = 0; i < m; ++i)
    at[i] = i;
  for (ptrdiff_t k = 0; k < m && k < n; ++k) {
    ptrdiff_t best = k;
    for (ptrdiff_t i = k + 1; i < m; ++i)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    pivots[k] = (int32_t)best + 1;
    if (a[best * n + k] == 0.0) {
      if (!info) info = (int32_t)k + 1;
      continue;
    }
    if (best != k) {
      const int64_t kept = at[k];
      at[k] = at[best];
      at[best] = kept;
      for (ptrdiff_t j = 0; j < n; ++j) {
        const double v = a[k * n + j];
        a[k * n + j] = a[best * n + j];
        a[best * n + j] = v;
      }
    }
    for (ptrdiff_t i = k + 1; i < m; ++i) {
      const double f = a[i * n + k] / a[k * n + k];
      a[i * n + k] = f;
      for (ptrdiff_t j = k + 1; j < n; ++j)
        a[i * n + j] = fma(-f, a[k * n + j], a[i * n + j]);
    }
  }
  return info;
}

// The lower factor in place of the lower triangle. Returns the order of the
// first minor that is not positive, or 0.
TENON_INLINE int32_t tenon_factor_cholesky(double *a, ptrdiff_t n) {
  for (ptrdiff_t j = 0; j < n; ++j) {
    double d = a[j * n + j];
    for (ptrdiff_t k = 0; k < j; ++k)
      d = fma(-a[j * n + k], a[j * n + k], d);
    if (!(d > 0.0)) return (int32_t)j + 1;
    d = sqrt(d);
    a[j * n + j] = d;
    for (ptrdiff_t i = j + 1; i < n; ++i) {
      double v = a[i * n + j];
      for (ptrdiff_t k = 0; k < j; ++k)
        v = fma(-a[i * n + k], a[j * n + k], v);
      a[i * n + j] = v / d;
    }
  }
  return 0;
}

// Rows of x, [n, k], so that a x is what they were.
TENON_INLINE void tenon_factor_substitute(const double *a, double *x,
                                          ptrdiff_t n, ptrdiff_t k,
                                          bool is_upper, bool is_unit) {
  for (ptrdiff_t step = 0; step < n; ++step) {
    const ptrdiff_t i = is_upper ? n - 1 - step : step;
    for (ptrdiff_t c = 0; c < k; ++c) {
      double v = x[i * k + c];
      for (ptrdiff_t j = is_upper ? i + 1 : 0; j < (is_upper ? n : i); ++j)
        v = fma(-a[i * n + j], x[j * k + c], v);
      x[i * k + c] = is_unit ? v : v / a[i * n + i];
    }
  }
}

// The column a, elements n apart, reflected: a - tau v (v' a) from row k on.
TENON_INLINE void tenon_factor_turn_column(double *a, const double *v,
                                           double tau, ptrdiff_t m, ptrdiff_t n,
                                           ptrdiff_t k) {
  double dot = 0.0;
  for (ptrdiff_t i = k; i < m; ++i)
    dot = fma(v[i], a[i * n], dot);
  for (ptrdiff_t i = k; i < m; ++i)
    a[i * n] = fma(-tau * dot, v[i], a[i * n]);
}

// The reflection that makes column k of a zero below the diagonal, done to it
// and to the columns behind it. v holds it from k on; its factor is returned, 0
// where nothing is to be done. The signs are LAPACK's.
TENON_INLINE double tenon_factor_reflect(double *a, double *v, ptrdiff_t m,
                                         ptrdiff_t n, ptrdiff_t k) {
  const double alpha = a[k * n + k];
  double tail = 0.0, beta, tau;
  for (ptrdiff_t i = k + 1; i < m; ++i)
    tail = fma(a[i * n + k], a[i * n + k], tail);
  if (tail == 0.0) return 0.0;
  beta = sqrt(fma(alpha, alpha, tail));
  if (alpha >= 0.0) beta = -beta;
  tau = (beta - alpha) / beta;
  v[k] = 1.0;
  for (ptrdiff_t i = k + 1; i < m; ++i)
    v[i] = a[i * n + k] / (alpha - beta);
  for (ptrdiff_t j = k; j < n; ++j)
    tenon_factor_turn_column(a + j, v, tau, m, n, k);
  for (ptrdiff_t i = k + 1; i < m; ++i)
    a[i * n + k] = 0.0;
  return tau;
}

// By reflections, which leave r in a and make q, [m, m], of the unit matrix.
TENON_INLINE void tenon_factor_qr(double *a, double *q, double *v, ptrdiff_t m,
                                  ptrdiff_t n) {
  for (ptrdiff_t i = 0; i < m * m; ++i)
    q[i] = i / m == i % m ? 1.0 : 0.0;
  for (ptrdiff_t k = 0; k < n && k < m; ++k) {
    const double tau = tenon_factor_reflect(a, v, m, n, k);
    for (ptrdiff_t i = 0; tau != 0.0 && i < m; ++i) {
      double dot = 0.0;
      for (ptrdiff_t j = k; j < m; ++j)
        dot = fma(q[i * m + j], v[j], dot);
      for (ptrdiff_t j = k; j < m; ++j)
        q[i * m + j] = fma(-tau * dot, v[j], q[i * m + j]);
    }
  }
}

// One rotation of Jacobi: cosine and sine that make the element beside a, b
// zero.
TENON_INLINE void tenon_factor_rotation(double a, double b, double beside,
                                        double *c, double *s) {
  const double z = (b - a) / (2.0 * beside);
  const double t = copysign(1.0, z) / (fabs(z) + sqrt(fma(z, z, 1.0)));
  *c = 1.0 / sqrt(fma(t, t, 1.0));
  *s = t * *c;
}

// Turns two rows of n elements by that rotation.
TENON_INLINE void tenon_factor_turn(double *a, double *b, ptrdiff_t n, double c,
                                    double s) {
  for (ptrdiff_t i = 0; i < n; ++i) {
    const double x = a[i], y = b[i];
    a[i] = c * x - s * y;
    b[i] = s * x + c * y;
  }
}

// The symmetric matrix a by rotations: its diagonal becomes the eigenvalues,
// the rows of v their vectors.
TENON_INLINE void tenon_factor_eigh(double *a, double *v, ptrdiff_t n) {
  for (ptrdiff_t i = 0; i < n * n; ++i)
    v[i] = i / n == i % n ? 1.0 : 0.0;
  for (int32_t sweep = 0; sweep < 60; ++sweep) {
    bool has_turned = false;
    for (ptrdiff_t p = 0; p < n; ++p) {
      for (ptrdiff_t q = p + 1; q < n; ++q) {
        const double beside = a[p * n + q];
        double c, s;
        if (!(fabs(beside) > 1e-17 * sqrt(fabs(a[p * n + p] * a[q * n + q]))) ||
            fabs(beside) < 1e-300)
          continue;
        has_turned = true;
        tenon_factor_rotation(a[p * n + p], a[q * n + q], beside, &c, &s);
        for (ptrdiff_t k = 0; k < n; ++k) {
          const double x = a[k * n + p], y = a[k * n + q];
          a[k * n + p] = c * x - s * y;
          a[k * n + q] = s * x + c * y;
        }
        tenon_factor_turn(a + p * n, a + q * n, n, c, s);
        tenon_factor_turn(v + p * n, v + q * n, n, c, s);
      }
    }
    if (!has_turned) return;
  }
}

// One-sided rotations of the rows of a, [k, l] with k up to l, until they are
// at right angles; v, [k, k], collects the rotations: v times what a was is
// what it is now.
TENON_INLINE void tenon_factor_svd(double *a, double *v, ptrdiff_t k,
                                   ptrdiff_t l) {
  for (ptrdiff_t i = 0; i < k * k; ++i)
    v[i] = i / k == i % k ? 1.0 : 0.0;
  for (int32_t sweep = 0; sweep < 60; ++sweep) {
    bool has_turned = false;
    for (ptrdiff_t p = 0; p < k; ++p) {
      for (ptrdiff_t q = p + 1; q < k; ++q) {
        double pp = 0.0, qq = 0.0, pq = 0.0, c, s;
        for (ptrdiff_t i = 0; i < l; ++i) {
          pp = fma(a[p * l + i], a[p * l + i], pp);
          qq = fma(a[q * l + i], a[q * l + i], qq);
          pq = fma(a[p * l + i], a[q * l + i], pq);
        }
        if (!(fabs(pq) > 1e-16 * sqrt(pp * qq)) || fabs(pq) < 1e-300) continue;
        has_turned = true;
        tenon_factor_rotation(pp, qq, pq, &c, &s);
        tenon_factor_turn(a + p * l, a + q * l, l, c, s);
        tenon_factor_turn(v + p * k, v + q * k, k, c, s);
      }
    }
    if (!has_turned) return;
  }
}

#endif  // TENON_KERN_FACTOR_H
