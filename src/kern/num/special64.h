// kern/num/special64.h - the error function, the gamma function's logarithm and
// their like, in double precision.
//
// As kern/num/real64.h, with relative errors below 1e-14, but near zeros of the
// result: lgamma and digamma are off by 4e-15 there.
#ifndef TENON_KERN_SPECIAL64_H
#define TENON_KERN_SPECIAL64_H

#include "kern/num/erf_table.h"
#include "kern/num/trig64.h"

TENON_INLINE double tenon_ratio(double z, const double *p, const double *q,
                                int32_t n) {
  double a = p[0], b = q[0];
  for (int32_t i = 1; i < n; ++i) {
    a = a * z + p[i];
    b = b * z + q[i];
  }
  return a / b;
}

// exp(-x * x) with x * x in two pieces.
TENON_INLINE double tenon_exp_square(double x) {
  const double s = x * x;
  return tenon_exp_of(-s, -fma(x, x, -s));
}

// Cody's rational functions (1969): erf up to 0.46875.
TENON_INLINE double tenon_erf_small(double x) {
  static const double p[5] = TENON_ERF_SMALL;
  static const double q[5] = TENON_ERF_SMALL_UNDER;
  return x * tenon_ratio(x * x, p, q, 5);
}

// exp(x * x) erfc(x) for x above 0.46875, times a factor.
TENON_INLINE double tenon_erfcx_large(double x, double factor) {
  static const double p[9] = TENON_ERFC_MIDDLE;
  static const double q[9] = TENON_ERFC_MIDDLE_UNDER;
  static const double r[6] = {1.63153871373020978e-2, 0.305326634961232344,
                              0.360344899949804439,   0.125781726111229246,
                              1.60837851487422766e-2, 6.58749161529837803e-4};
  static const double s[6] = {1.0,
                              2.56852019228982242,
                              1.87295284992346725,
                              0.527905102951428412,
                              6.05183413124413191e-2,
                              2.33520497626869185e-3};
  double z;
  if (x <= 4.0) return factor * tenon_ratio(x, p, q, 9);
  z = 1.0 / (x * x);
  z *= tenon_ratio(z, r, s, 6);
  return factor * (0.5641895835477563 - z) / x;
}

TENON_INLINE double tenon_erfc_large(double x) {
  return x > 28.0 ? 0.0 : tenon_erfcx_large(x, tenon_exp_square(x));
}

TENON_INLINE double tenon_erfcx(double x) {
  if (x != x) return x;
  if (x > 0.46875) return tenon_erfcx_large(x, 1.0);
  if (x < -26.7) return tenon_infinity();
  if (x < -0.46875)
    return 2.0 / tenon_exp_square(x) - tenon_erfcx_large(-x, 1.0);
  return (1.0 - tenon_erf_small(x)) / tenon_exp_square(x);
}

TENON_INLINE double tenon_erf(double x) {
  const double a = fabs(x);
  if (x != x) return x;
  if (a <= 0.46875) return tenon_erf_small(x);
  return copysign(1.0 - tenon_erfc_large(a), x);
}

TENON_INLINE double tenon_erfc(double x) {
  if (x != x) return x;
  if (fabs(x) <= 0.46875) return 1.0 - tenon_erf_small(x);
  return x > 0.0 ? tenon_erfc_large(x) : 2.0 - tenon_erfc_large(-x);
}

// x times the normal distribution at x.
TENON_INLINE double tenon_gelu(double x) {
  if (x < -40.0) return -0.0;
  return 0.5 * x * tenon_erfc(-0.7071067811865476 * x);
}

// Winitzki's guess, good to 2e-3, and steps of Halley.
TENON_INLINE double tenon_erfinv(double x) {
  const double a = fabs(x);
  double l, t, y;
  if (x == 0.0) return x;
  if (a == 1.0) return copysign(tenon_infinity(), x);
  if (!(a < 1.0)) return tenon_nan();
  l = tenon_log1p(-a * a);
  t = 4.330746750799873 + 0.5 * l;  // 2 / (0.147 pi)
  y = sqrt(sqrt(t * t - l / 0.147) - t);
  for (int32_t i = 0; i < 3; ++i) {
    double e = a < 0.5 ? tenon_erf(y) - a : (1.0 - a) - tenon_erfc(y);
    e /= 1.1283791670955126 * tenon_exp_square(y);
    y -= e / (1.0 + y * e);
  }
  return copysign(y, x);
}

// Stirling's series, for x of 10 and more.
TENON_INLINE double tenon_lgamma_large(double x) {
  const double w = 1.0 / x, z = w * w;
  double p = -1.3924322169059011;
  p = p * z + 0.17964437236883057;
  p = p * z - 0.029550653594771242;
  p = p * z + 0.00641025641025641;
  p = p * z - 0.0019175269175269176;
  p = p * z + 0.0008417508417508417;
  p = p * z - 0.0005952380952380953;
  p = p * z + 0.0007936507936507937;
  p = p * z - 0.002777777777777778;
  p = p * z + 0.08333333333333333;
  return (x - 0.5) * tenon_log(x) - x + 0.9189385332046728 + p * w;
}

TENON_INLINE double tenon_lgamma(double x) {
  double product = 1.0;
  if (x != x) return x;
  if (fabs(x) == tenon_infinity() || (x <= 0.0 && floor(x) == x))
    return tenon_infinity();
  if (x < 0.0) {
    // |sin(pi x)| by what x lacks to the nearest integer.
    const double s = tenon_sin(3.141592653589793 * (x - floor(x + 0.5)));
    return tenon_log(3.141592653589793 / (fabs(s) * -x)) - tenon_lgamma(-x);
  }
  if (x >= 10.0) return tenon_lgamma_large(x);
  if (x == 1.0 || x == 2.0) return 0.0;
  for (; x < 10.0; x += 1.0)
    product *= x;
  return tenon_lgamma_large(x) - tenon_log(product);
}

TENON_INLINE double tenon_digamma(double x) {
  double sum = 0.0, z, p;
  if (x == 0.0) return copysign(tenon_infinity(), -x);
  if (x < 0.0) {
    const double f = x - floor(x + 0.5);
    if (f == 0.0 || x == -tenon_infinity()) return tenon_nan();
    // The reflection, with psi(1 - x) = psi(-x) - 1 / x.
    sum = -1.0 / x - 3.141592653589793 / tenon_tan(3.141592653589793 * f);
    x = -x;
  }
  for (; x < 10.0; x += 1.0)
    sum -= 1.0 / x;
  if (x == tenon_infinity()) return x;
  z = 1.0 / (x * x);
  p = 0.08333333333333333;
  p = p * z - 0.021092796092796094;
  p = p * z + 0.007575757575757576;
  p = p * z - 0.004166666666666667;
  p = p * z + 0.003968253968253968;
  p = p * z - 0.008333333333333333;
  p = p * z + 0.08333333333333333;
  return sum + (tenon_log(x) - 0.5 / x - p * z);
}

// The modified Bessel function of order 0: its series, or, for large x, the
// asymptotic one.
TENON_INLINE double tenon_i0(double x) {
  const double a = fabs(x), q = 0.25 * a * a;
  double term = 1.0, sum = 1.0;
  if (x != x) return x;
  if (a < 30.0) {
    for (int32_t k = 1; term > 1e-17 * sum; ++k) {
      term *= q / ((double)k * (double)k);
      sum += term;
    }
    return sum;
  }
  if (a == tenon_infinity()) return tenon_nan();  // as PyTorch
  for (int32_t k = 1; k < 30; ++k) {
    term *= (double)((2 * k - 1) * (2 * k - 1)) / (8.0 * a * (double)k);
    sum += term;
  }
  term = tenon_exp(0.5 * a);
  return term * (sum / sqrt(6.283185307179586 * a)) * term;
}

#endif  // TENON_KERN_SPECIAL64_H
