// kern/num/gamma64.h - the zeta function of Hurwitz, the incomplete gamma
// functions and the quantiles of the normal distribution, in double precision.
//
// As kern/num/special64.h; relative errors are below 1e-12.
#ifndef TENON_KERN_GAMMA64_H
#define TENON_KERN_GAMMA64_H

#include "kern/num/special64.h"

// The sum of (q + k)^-s: the first terms, then Euler and Maclaurin's formula.
TENON_INLINE double tenon_zeta(double s, double q) {
  // (2 j)! over the Bernoulli number of index 2 j.
  static const double over[12] = {12.0,
                                  -720.0,
                                  30240.0,
                                  -1209600.0,
                                  47900160.0,
                                  -1892437580.3183792,
                                  74724249600.0,
                                  -2950130727918.1642,
                                  116467828143500.67,
                                  -4597978722407472.6,
                                  181521054019435467.7,
                                  -7166165256175667011.3};
  double sum = 0.0, power, factor;
  if (s != s || q != q) return s + q;
  if (s == 1.0) return tenon_infinity();
  if (s < 1.0) return tenon_nan();
  if (q <= 0.0 && q == floor(q)) return tenon_infinity();
  if (q <= 0.0 && s != floor(s)) return tenon_nan();
  for (int32_t i = 0; i < 10 || q <= 9.0; ++i, q += 1.0) {
    power = tenon_pow(q, -s);
    sum += power;
    if (fabs(power) < 1e-17 * fabs(sum)) return sum;
  }
  power = tenon_pow(q, -s);
  sum += power * (q / (s - 1.0) + 0.5);
  factor = s * power / q;
  for (int32_t j = 0; j < 12; ++j) {
    const double term = factor / over[j], k = (double)(2 * j + 1);
    sum += term;
    if (fabs(term) < 1e-17 * fabs(sum)) break;
    factor *= (s + k) * (s + k + 1.0) / (q * q);
  }
  return sum;
}

// x^a exp(-x) over gamma(a + 1): Stirling's series where the logarithms would
// cancel.
TENON_INLINE double tenon_gamma_front(double a, double x) {
  if (a > 20.0) {
    const double d = (x - a) / a;
    // a log(x / a) - (x - a), without the difference of large numbers.
    const double e = fabs(d) < 0.3 ? a * (tenon_log1p(d) - d)
                                   : a * tenon_log(x / a) - (x - a);
    const double w = 1.0 / (a * a);
    const double tail =
        (0.08333333333333333 -
         w * (0.002777777777777778 -
              w * (0.0007936507936507937 - w * 0.0005952380952380953))) /
        a;
    return tenon_exp(e - tail) / sqrt(6.283185307179586 * a);
  }
  return tenon_exp(a * tenon_log(x) - x - tenon_lgamma(a + 1.0));
}

// The regularised lower function where x is below a + 1: a series.
TENON_INLINE double tenon_gamma_series(double a, double x) {
  double term = 1.0, sum = 1.0;
  for (int32_t k = 1; k < 20000 && term > 1e-17 * sum; ++k) {
    term *= x / (a + (double)k);
    sum += term;
  }
  return sum * tenon_gamma_front(a, x);
}

// The upper one from there: a continued fraction, by Lentz's method.
TENON_INLINE double tenon_gamma_fraction(double a, double x) {
  double b = x + 1.0 - a, c = 1e300, d = 1.0 / b, h = d;
  for (int32_t k = 1; k < 20000; ++k) {
    const double n = -(double)k * ((double)k - a);
    double step;
    b += 2.0;
    d = n * d + b;
    c = b + n / c;
    if (fabs(d) < 1e-300) d = 1e-300;
    if (fabs(c) < 1e-300) c = 1e-300;
    d = 1.0 / d;
    step = d * c;
    h *= step;
    if (fabs(step - 1.0) < 1e-16) break;
  }
  return h * a * tenon_gamma_front(a, x);
}

TENON_INLINE double tenon_incomplete(double a, double x, bool is_upper) {
  const double inf = tenon_infinity();
  if (!(x >= 0.0) || !(a >= 0.0)) return tenon_nan();
  if (a == 0.0) return x > 0.0 ? (is_upper ? 0.0 : 1.0) : tenon_nan();
  if (x == 0.0) return is_upper ? 1.0 : 0.0;
  if (a == inf) return x == inf ? tenon_nan() : is_upper ? 1.0 : 0.0;
  if (x == inf) return is_upper ? 0.0 : 1.0;
  // What is left of 1 would be noise where the upper one is small.
  if (x < a + 1.0 && !(is_upper && a < 1.0 && x >= 1.0)) {
    const double p = tenon_gamma_series(a, x);
    return is_upper ? 1.0 - p : p;
  }
  {
    const double q = tenon_gamma_fraction(a, x);
    return is_upper ? q : 1.0 - q;
  }
}
TENON_INLINE double tenon_igamma(double a, double x) {
  return tenon_incomplete(a, x, false);
}
TENON_INLINE double tenon_igammac(double a, double x) {
  return tenon_incomplete(a, x, true);
}

// What the normal distribution reaches p at: Newton's steps on the logarithm,
// which is nearly a parabola, so that they converge from any side.
TENON_INLINE double tenon_ndtri(double p) {
  const double lower = p < 0.5 ? p : 1.0 - p;
  double y, l;
  if (p == 0.0) return -tenon_infinity();
  if (p == 1.0) return tenon_infinity();
  if (!(p > 0.0 && p < 1.0)) return tenon_nan();
  // y is above 0, with erfc(y) / 2 = lower.
  if (lower > 0.05) {
    y = tenon_erfinv(1.0 - 2.0 * lower);
  } else {
    l = tenon_log(2.0 * lower);
    y = sqrt(-l);
    for (int32_t i = 0; i < 8; ++i) {
      const double e = tenon_erfcx(y);
      const double f = tenon_log(e) - y * y - l;
      y += f * e / 1.1283791670955126;
    }
  }
  y *= 1.4142135623730951;
  return p < 0.5 ? -y : y;
}

#endif  // TENON_KERN_GAMMA64_H
