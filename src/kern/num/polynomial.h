// kern/num/polynomial.h - core::orthogonal: families of orthogonal polynomials,
// by their recurrences in the type of the elements, as PyTorch computes them.
//
// Chebyshev's of high degree are cosines between -1 and 1. What is special (a
// degree below 0, where it ends) is special in PyTorch too.
#ifndef TENON_KERN_POLYNOMIAL_H
#define TENON_KERN_POLYNOMIAL_H

#include "kern/loop/broadcast.h"
#include "kern/num/trig64.h"

enum {
  TENON_CHEBYSHEV_T,
  TENON_CHEBYSHEV_U,
  TENON_CHEBYSHEV_V,
  TENON_CHEBYSHEV_W,
  TENON_SHIFTED_T,  // of 2 x - 1
  TENON_SHIFTED_U,
  TENON_SHIFTED_V,
  TENON_SHIFTED_W,
  TENON_HERMITE_H,
  TENON_HERMITE_HE,
  TENON_LAGUERRE,
  TENON_LEGENDRE,
  TENON_POLYNOMIALS
};

typedef struct tenon_orthogonal_attrs {
  int64_t family;
} tenon_orthogonal_attrs;

#define TENON_ORTHOGONAL_FAMILY \
  const int64_t family = ((const tenon_orthogonal_attrs *)c->attrs)->family;

TENON_INLINE int64_t tenon_degree(double n) {
  return n > -9e18 && n < 9e18 ? (int64_t)n : -1;
}

// At -1 and 1, for families T, U, V and W.
TENON_INLINE double tenon_chebyshev_end(int64_t family, bool is_right,
                                        int64_t n) {
  const double sign = is_right || n % 2 == 0 ? 1.0 : -1.0;
  const bool is_long =
      family == TENON_CHEBYSHEV_U ||
      family == (is_right ? TENON_CHEBYSHEV_W : TENON_CHEBYSHEV_V);
  if (!is_long) return sign;
  return sign * (family == TENON_CHEBYSHEV_U ? (double)n + 1.0
                                             : 2.0 * (double)n + 1.0);
}

// Between them.
TENON_INLINE double tenon_chebyshev_inside(int64_t family, double x, double n) {
  const double angle = tenon_acos(x);
  switch (family) {
    case TENON_CHEBYSHEV_T:
      return tenon_cos(n * angle);
    case TENON_CHEBYSHEV_U:
      return tenon_sin((n + 1.0) * angle) / tenon_sin(angle);
    case TENON_CHEBYSHEV_V:
      return tenon_cos((n + 0.5) * angle) / tenon_cos(0.5 * angle);
    default:
      return tenon_sin((n + 0.5) * angle) / tenon_sin(0.5 * angle);
  }
}

#define TENON_POLYNOMIAL_FUNCTIONS(T, as, FABS, most)                         \
  TENON_INLINE T tenon_chebyshev_##as(int64_t family, T x, int64_t n,         \
                                      int64_t few) {                          \
    T p = 1, q = x + x, r;                                                    \
    if (FABS(x) == 1) return (T)tenon_chebyshev_end(family, x > 0, n);        \
    if (n > few && FABS(x) < 1)                                               \
      return (T)tenon_chebyshev_inside(family, (double)x, (double)n);         \
    if (n == 0) return 1;                                                     \
    if (family == TENON_CHEBYSHEV_T) q = x;                                   \
    if (family == TENON_CHEBYSHEV_V) q -= 1;                                  \
    if (family == TENON_CHEBYSHEV_W) q += 1;                                  \
    for (int64_t k = 2; k <= n && q == q; ++k) {                              \
      r = (x + x) * q - p;                                                    \
      p = q;                                                                  \
      q = r;                                                                  \
    }                                                                         \
    return q;                                                                 \
  }                                                                           \
  TENON_INLINE T tenon_hermite_##as(T x, int64_t n, T twice) {                \
    T p = 1, q = twice * x, r;                                                \
    if (n == 0) return 1;                                                     \
    if (n > most) return (T)tenon_nan();                                      \
    for (int64_t k = 1; k < n; ++k) {                                         \
      r = twice * x * q - twice * (T)k * p;                                   \
      p = q;                                                                  \
      q = r;                                                                  \
    }                                                                         \
    return q;                                                                 \
  }                                                                           \
  TENON_INLINE T tenon_legendre_##as(T x, int64_t n, bool is_laguerre) {      \
    T p = 1, q = is_laguerre ? 1 - x : x, r;                                  \
    if (is_laguerre ? x == 0 : FABS(x) == 1)                                  \
      return is_laguerre || x > 0 || n % 2 == 0 ? (T)1 : (T)-1;               \
    if (n == 0) return 1;                                                     \
    for (int64_t k = 1; k < n && q == q; ++k) {                               \
      const T at = (T)k,                                                      \
              both = is_laguerre ? (T)(k + k) + (1 - x) : (T)(k + k + 1) * x; \
      r = (both * q - at * p) / (T)(k + 1);                                   \
      p = q;                                                                  \
      q = r;                                                                  \
    }                                                                         \
    return q;                                                                 \
  }                                                                           \
  TENON_INLINE T tenon_orthogonal_##as(int64_t family, T x, T degree) {       \
    const int64_t n = tenon_degree((double)degree);                           \
    if (n < 0) return 0;                                                      \
    if (family < TENON_SHIFTED_T)                                             \
      return tenon_chebyshev_##as(family, x, n,                               \
                                  family == TENON_CHEBYSHEV_T ? 6 : 8);       \
    if (family < TENON_HERMITE_H)                                             \
      return tenon_chebyshev_##as(family - TENON_SHIFTED_T, x + x - 1, n,     \
                                  family == TENON_SHIFTED_W ? 4 : 6);         \
    if (family < TENON_LAGUERRE)                                              \
      return tenon_hermite_##as(x, n,                                         \
                                family == TENON_HERMITE_H ? (T)2 : (T)1);     \
    return tenon_legendre_##as(x, n, family == TENON_LAGUERRE);               \
  }

TENON_POLYNOMIAL_FUNCTIONS(float, f32, fabsf, 128)
TENON_POLYNOMIAL_FUNCTIONS(double, f64, fabs, 512)

#endif  // TENON_KERN_POLYNOMIAL_H
