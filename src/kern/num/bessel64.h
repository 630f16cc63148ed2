// kern/num/bessel64.h - the functions of Bessel and Airy, in double precision.
//
// As kern/num/special64.h. Bessel's of the first and second kind come out of
// one backward recurrence (Miller) with Neumann's sums up to 25, Hankel's
// series from there; the modified ones of series, of the trapezoidal rule,
// which is exact for the integral of K, and of the asymptotic series. Relative
// errors are below 1e-12 away from zeros, absolute ones below 1e-14; Airy's
// function is off by 1e-11 between -9 and -5.
#ifndef TENON_KERN_BESSEL64_H
#define TENON_KERN_BESSEL64_H

#include "kern/num/special64.h"

typedef struct tenon_bessel {
  double j0, j1, y0, y1;
} tenon_bessel;

// The two series of Hankel, of the order whose square times 4 is mu.
TENON_INLINE void tenon_hankel(double mu, double x, double *p, double *q) {
  double term = 1.0, last = 2.0;
  *p = 1.0;
  *q = 0.0;
  for (int32_t k = 1; k < 60; ++k) {
    const double odd = (double)(2 * k - 1);
    term *= (mu - odd * odd) / (8.0 * x * (double)k);
    if (!(fabs(term) < last) || fabs(term) < 1e-18) break;
    last = fabs(term);
    if (k % 2)
      *q += k % 4 == 1 ? term : -term;
    else
      *p += k % 4 == 2 ? -term : term;
  }
}

TENON_INLINE tenon_bessel tenon_bessel_large(double x) {
  const double root = sqrt(0.3183098861837907 / x);  // of 1 / (pi x)
  const double s = tenon_sin(x), c = tenon_cos(x);
  tenon_bessel b;
  double p, q;
  tenon_hankel(0.0, x, &p, &q);
  b.j0 = root * (p * (c + s) - q * (s - c));
  b.y0 = root * (p * (s - c) + q * (c + s));
  tenon_hankel(4.0, x, &p, &q);
  b.j1 = root * (p * (s - c) + q * (s + c));
  b.y1 = root * (q * (s - c) - p * (s + c));
  return b;
}

// All four for x of at least 0; y0 and y1 of 0 are not used.
TENON_INLINE tenon_bessel tenon_bessel_of(double x) {
  const int32_t top = x < 1.0 ? 16 : x < 25.0 ? 2 * (int32_t)(x / 2) + 44 : 0;
  const double log_half = tenon_log(0.5 * x) + 0.5772156649015329;
  const double two_over_pi = 0.6366197723675814;
  double above = 0.0, at = 1e-200, norm = 0.0, even = 0.0, odd = 0.0;
  tenon_bessel b;
  if (x >= 25.0) return tenon_bessel_large(x);
  if (x < 1e-8) {
    b.j0 = 1.0;
    b.j1 = 0.5 * x;
    b.y0 = two_over_pi * log_half;
    b.y1 = -two_over_pi / x;
    return b;
  }
  for (int32_t k = top; k > 0; --k) {
    // `at` is J of order k, up to a factor.
    const double m = (double)(k / 2), sign = k / 2 % 2 ? 1.0 : -1.0;
    const double below = 2.0 * (double)k / x * at - above;
    if (k % 2 == 0) {
      norm += 2.0 * at;
      even += sign * at / m;
    } else if (k > 1) {
      odd += sign * (double)k * at / (m * (m + 1.0));
    }
    above = at;
    at = below;
  }
  norm += at;
  b.j0 = at / norm;
  b.j1 = above / norm;
  b.y0 = two_over_pi * (log_half * b.j0 + 2.0 * even / norm);
  b.y1 = two_over_pi * ((log_half - 1.0) * b.j1 - b.j0 / x + odd / norm);
  return b;
}

TENON_INLINE double tenon_bessel_j0(double x) {
  return x != x ? x : tenon_bessel_of(fabs(x)).j0;
}
TENON_INLINE double tenon_bessel_j1(double x) {
  const double y = x != x ? x : tenon_bessel_of(fabs(x)).j1;
  return x < 0.0 ? -y : y;
}
TENON_INLINE double tenon_bessel_y0(double x) {
  if (x == 0.0) return -tenon_infinity();
  return x > 0.0 ? tenon_bessel_of(x).y0 : tenon_nan();
}
TENON_INLINE double tenon_bessel_y1(double x) {
  if (x == 0.0) return -tenon_infinity();
  return x > 0.0 ? tenon_bessel_of(x).y1 : tenon_nan();
}

// --- Modified ----------------------------------------------------------------

// exp(-x) I(x) of order 0 or 1, for x of at least 0.
TENON_INLINE double tenon_bessel_i_scaled(int32_t order, double x) {
  const double q = 0.25 * x * x, mu = order ? 4.0 : 0.0;
  double term = 1.0, sum = 1.0;
  if (x < 30.0) {
    for (int32_t k = 1; term > 1e-17 * sum; ++k) {
      term *= q / ((double)k * (double)(k + order));
      sum += term;
    }
    return tenon_exp(-x) * (order ? 0.5 * x * sum : sum);
  }
  for (int32_t k = 1; k < 30; ++k) {
    const double odd = (double)(2 * k - 1);
    term *= (odd * odd - mu) / (8.0 * x * (double)k);
    sum += term;
  }
  return sum / sqrt(6.283185307179586 * x);
}

TENON_INLINE double tenon_i0e(double x) {
  return x != x ? x : tenon_bessel_i_scaled(0, fabs(x));
}
TENON_INLINE double tenon_i1e(double x) {
  const double y = x != x ? x : tenon_bessel_i_scaled(1, fabs(x));
  return x < 0.0 ? -y : y;
}
TENON_INLINE double tenon_i1(double x) {
  const double half = tenon_exp(0.5 * fabs(x));
  return half * tenon_i1e(x) * half;  // not a number at infinity, as PyTorch
}

// exp(x) K(x) of an order below 2, for x of at least 1.5.
TENON_INLINE double tenon_bessel_k_scaled(double order, double x) {
  const double step = 0.0625;
  double p = 1.0, sum = 0.5;
  if (x == tenon_infinity()) return 0.0;
  if (x > 30.0) {
    double term = 1.0;
    for (int32_t k = 1; k < 30; ++k) {
      const double odd = (double)(2 * k - 1);
      term *= (4.0 * order * order - odd * odd) / (8.0 * x * (double)k);
      p += term;
    }
    return p * sqrt(1.5707963267948966 / x);
  }
  for (int32_t k = 1; p > 1e-18; ++k) {
    const double s = tenon_sinh(0.5 * step * (double)k);
    p = tenon_exp(-2.0 * x * s * s);
    sum += p * tenon_cosh(order * step * (double)k);
  }
  return step * sum;
}

// K of order 0 or 1 up to 2, by its series.
TENON_INLINE double tenon_bessel_k_small(int32_t order, double x) {
  const double q = 0.25 * x * x, l = tenon_log(0.5 * x);
  double term = 1.0, psi = -1.1544313298030657 + (double)order, sum = 0.0;
  // psi(k + 1) + psi(k + 1 + order), which begins at -2 gamma + order.
  double i = 0.0;
  for (int32_t k = 0; term > 1e-18; ++k) {
    i += term;
    sum += term * psi;
    psi += 1.0 / (double)(k + 1) + 1.0 / (double)(k + 1 + order);
    term *= q / ((double)(k + 1) * (double)(k + 1 + order));
  }
  if (order == 0) return 0.5 * sum - l * i;
  return 1.0 / x + 0.5 * x * (l * i - 0.5 * sum);
}

TENON_INLINE double tenon_bessel_k(int32_t order, double x, bool is_scaled) {
  if (x == 0.0) return tenon_infinity();
  if (!(x > 0.0)) return tenon_nan();
  if (x <= 2.0)
    return tenon_bessel_k_small(order, x) * (is_scaled ? tenon_exp(x) : 1.0);
  return tenon_bessel_k_scaled((double)order, x) *
         (is_scaled ? 1.0 : tenon_exp(-x));
}
TENON_INLINE double tenon_bessel_k0(double x) {
  return tenon_bessel_k(0, x, false);
}
TENON_INLINE double tenon_bessel_k1(double x) {
  return tenon_bessel_k(1, x, false);
}
TENON_INLINE double tenon_bessel_k0e(double x) {
  return tenon_bessel_k(0, x, true);
}
TENON_INLINE double tenon_bessel_k1e(double x) {
  return tenon_bessel_k(1, x, true);
}

// --- Airy --------------------------------------------------------------------

TENON_INLINE double tenon_airy_ai(double x) {
  const double a = fabs(x), root = sqrt(a), z = a * root / 1.5;
  if (!(a < tenon_infinity())) return tenon_nan();
  if (x > 103.892) return 0.0;  // as PyTorch
  if (x > 2.0)
    return 0.3183098861837907 * sqrt(a / 3.0) * tenon_exp(-z) *
           tenon_bessel_k_scaled(1.0 / 3.0, z);
  if (x < -7.3) {
    double p, q;
    const double s = tenon_sin(z), c = tenon_cos(z);
    tenon_hankel(4.0 / 9.0, z, &p, &q);
    return (p * (s + c) - q * (s - c)) * 0.3989422804014327 / sqrt(root);
  }
  {
    const double cube = x * x * x;
    double f = 1.0, g = x, sum_f = 1.0, sum_g = x;
    for (int32_t k = 3; fabs(f) + fabs(g) > 1e-18 && k < 300; k += 3) {
      f *= cube / ((double)(k - 1) * (double)k);
      g *= cube / ((double)k * (double)(k + 1));
      sum_f += f;
      sum_g += g;
    }
    return 0.3550280538878172 * sum_f - 0.2588194037928068 * sum_g;
  }
}

#endif  // TENON_KERN_BESSEL64_H
