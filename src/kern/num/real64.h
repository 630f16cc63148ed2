// kern/num/real64.h - exp, log and what is made of them, in double precision.
//
// Own implementations, for the reason that kern/num/real.h has: one result on
// every machine. Series of Taylor on small intervals, since what little they
// lose in speed is regained in being obviously right. The relative error is
// below 2e-15, but where another is stated. Kernels on f32, f16 and bf16 may
// compute in double by them, and round once.
#ifndef TENON_KERN_REAL64_H
#define TENON_KERN_REAL64_H

#include <math.h>

#include "tenon/base.h"

TENON_INLINE double tenon_f64_of_bits(uint64_t bits) {
  union {
    uint64_t bits;
    double value;
  } u;
  u.bits = bits;
  return u.value;
}

TENON_INLINE uint64_t tenon_bits_of_f64(double value) {
  union {
    uint64_t bits;
    double value;
  } u;
  u.value = value;
  return u.bits;
}

TENON_INLINE double tenon_infinity(void) {
  return tenon_f64_of_bits(UINT64_C(0x7ff0000000000000));
}
TENON_INLINE double tenon_nan(void) {
  return tenon_f64_of_bits(UINT64_C(0x7ff8000000000000));
}

// 2^n for n from -1022 to 1023.
TENON_INLINE double tenon_pow2(int32_t n) {
  return tenon_f64_of_bits((uint64_t)(n + 1023) << 52);
}

// y * 2^n where the result may be subnormal or infinite.
TENON_INLINE double tenon_scale2(double y, int32_t n) {
  const int32_t half = n / 2;
  return y * tenon_pow2(half) * tenon_pow2(n - half);
}

// exp(r) - 1 for |r| below 0.36: Taylor, r + r^2 (1/2 + ...).
TENON_INLINE double tenon_expm1_small(double r) {
  double p = 1.0 / 87178291200.0;
  p = p * r + 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  return r + r * r * p;
}

// exp(x + low), where `low` is small beside x. Infinite from 709.8 on.
TENON_INLINE double tenon_exp_of(double x, double low) {
  double n, r;
  if (x != x) return x;
  if (x > 710.0) return tenon_infinity();
  if (x < -746.0) return 0.0;
  n = floor(x * 1.4426950408889634 + 0.5);
  // ln 2 in two pieces; n times the first is exact.
  r = (x - n * 0.6931471803691238) - (n * 1.9082149292705877e-10 - low);
  return tenon_scale2(1.0 + tenon_expm1_small(r), (int32_t)n);
}
TENON_INLINE double tenon_exp(double x) {
  return tenon_exp_of(x, 0.0);
}

TENON_INLINE double tenon_exp2(double x) {
  double n;
  if (x != x) return x;
  if (x > 1025.0) return tenon_infinity();
  if (x < -1080.0) return 0.0;
  n = floor(x + 0.5);
  return tenon_scale2(1.0 + tenon_expm1_small((x - n) * 0.6931471805599453),
                      (int32_t)n);
}

TENON_INLINE double tenon_expm1(double x) {
  if (x == 0.0) return x;
  if (fabs(x) < 0.35) return tenon_expm1_small(x);
  return tenon_exp(x) - 1.0;
}

// log((1 + s) / (1 - s)) - 2 s for |s| below 0.18.
TENON_INLINE double tenon_atanh_rest(double s) {
  const double z = s * s;
  double p = 2.0 / 25.0;
  p = p * z + 2.0 / 23.0;
  p = p * z + 2.0 / 21.0;
  p = p * z + 2.0 / 19.0;
  p = p * z + 2.0 / 17.0;
  p = p * z + 2.0 / 15.0;
  p = p * z + 2.0 / 13.0;
  p = p * z + 2.0 / 11.0;
  p = p * z + 2.0 / 9.0;
  p = p * z + 2.0 / 7.0;
  p = p * z + 2.0 / 5.0;
  p = p * z + 2.0 / 3.0;
  return s * z * p;
}

// x = fraction * 2^result, fraction in [sqrt(1/2), sqrt(2)); x is positive and
// finite.
TENON_INLINE int32_t tenon_split2(double x, double *fraction) {
  uint64_t bits = tenon_bits_of_f64(x);
  int32_t k = 0;
  if (bits < UINT64_C(0x0010000000000000)) {
    k = -54;
    bits = tenon_bits_of_f64(x * 18014398509481984.0);
  }
  // 0x3fe6a09e667f3bcd is sqrt(1/2).
  bits += UINT64_C(0x3ff0000000000000) - UINT64_C(0x3fe6a09e667f3bcd);
  k += (int32_t)(bits >> 52) - 1023;
  bits = (bits & UINT64_C(0x000fffffffffffff)) + UINT64_C(0x3fe6a09e667f3bcd);
  *fraction = tenon_f64_of_bits(bits);
  return k;
}

// What log gives for what has no logarithm, or x itself if it has one.
TENON_INLINE bool tenon_log_is_special(double x, double *y) {
  *y = x;
  if (x == 0.0) *y = -tenon_infinity();
  if (x < 0.0) *y = tenon_nan();
  return !(x > 0.0) || x == tenon_infinity();
}

// log(x) as the sum of two, with an error of about 2^-68 of the larger.
TENON_INLINE double tenon_log_pair(double x, double *low) {
  double m, f, s, rest, high, sum;
  const double k = (double)tenon_split2(x, &m);
  f = m - 1.0;
  s = f / (2.0 + f);
  // What the quotient lost; m + 1 loses nothing that matters to it.
  rest = (fma(-s, f, fma(-2.0, s, f)) / (2.0 + f)) * 2.0;
  rest += tenon_atanh_rest(s);
  high = k * 0.6931471803691238;
  sum = high + 2.0 * s;
  *low = (2.0 * s - (sum - high)) + (rest + k * 1.9082149292705877e-10);
  // |high| is 0 or larger than 2 s, so that nothing is lost here.
  high = sum + *low;
  *low = *low - (high - sum);
  return high;
}

TENON_INLINE double tenon_log(double x) {
  double low, y;
  if (tenon_log_is_special(x, &y)) return y;
  return tenon_log_pair(x, &low);
}

TENON_INLINE double tenon_log2(double x) {
  double m, y, f, s;
  int32_t k;
  if (tenon_log_is_special(x, &y)) return y;
  k = tenon_split2(x, &m);
  f = m - 1.0;
  s = f / (2.0 + f);
  return (2.0 * s + tenon_atanh_rest(s)) * 1.4426950408889634 + (double)k;
}

TENON_INLINE double tenon_log10(double x) {
  double low, high, y;
  if (tenon_log_is_special(x, &y)) return y;
  high = tenon_log_pair(x, &low);
  // 1 / ln 10 in two pieces.
  return fma(high, 0.4342944819032518,
             high * 1.0983196502167651e-17 + low * 0.4342944819032518);
}

TENON_INLINE double tenon_log1p(double x) {
  double u;
  if (fabs(x) < 0.3) {
    double s = x / (2.0 + x);
    return x - s * x + tenon_atanh_rest(s);
  }
  if (!(x > -1.0) || x == tenon_infinity()) return tenon_log(1.0 + x);
  u = 1.0 + x;
  return tenon_log(u) + (x - (u - 1.0)) / u;
}

TENON_INLINE double tenon_logistic(double x) {
  double e = tenon_exp(x < 0.0 ? x : -x);
  return x < 0.0 ? e / (1.0 + e) : 1.0 / (1.0 + e);
}

TENON_INLINE double tenon_silu(double x) {
  return x * tenon_logistic(x);
}

TENON_INLINE double tenon_softplus(double x) {
  return (x > 0.0 ? x : 0.0) + tenon_log1p(tenon_exp(x > 0.0 ? -x : x));
}

// --- hyperbolic --------------------------------------------------------------

TENON_INLINE double tenon_sinh(double x) {
  const double a = fabs(x);
  double t;
  if (x == 0.0) return x;
  if (a < 20.0) {
    t = tenon_expm1(a);
    t = 0.5 * (t + t / (t + 1.0));
  } else {
    t = tenon_exp(0.5 * a);
    t = 0.5 * t * t;
  }
  return copysign(t, x);
}

TENON_INLINE double tenon_cosh(double x) {
  const double a = fabs(x);
  double t;
  if (a < 20.0) {
    t = tenon_exp(a);
    return 0.5 * t + 0.5 / t;
  }
  t = tenon_exp(0.5 * a);
  return 0.5 * t * t;
}

TENON_INLINE double tenon_tanh(double x) {
  double t;
  if (x != x || x == 0.0) return x;
  if (fabs(x) > 22.0) return copysign(1.0, x);
  t = tenon_expm1(2.0 * fabs(x));
  return copysign(t / (t + 2.0), x);
}

TENON_INLINE double tenon_asinh(double x) {
  const double a = fabs(x);
  double t;
  if (x != x || x == 0.0 || a == tenon_infinity()) return x;
  if (a > 1e8)
    t = tenon_log(a) + 0.6931471805599453;
  else
    t = tenon_log1p(a + a * a / (1.0 + sqrt(a * a + 1.0)));
  return copysign(t, x);
}

TENON_INLINE double tenon_acosh(double x) {
  const double t = x - 1.0;
  if (x < 1.0) return tenon_nan();
  if (x > 1e8) return tenon_log(x) + 0.6931471805599453;
  return tenon_log1p(t + sqrt(2.0 * t + t * t));
}

TENON_INLINE double tenon_atanh(double x) {
  const double a = fabs(x);
  if (x == 0.0) return x;
  if (a > 1.0) return tenon_nan();
  return copysign(0.5 * tenon_log1p(2.0 * a / (1.0 - a)), x);
}

// --- powers ------------------------------------------------------------------

// 0: no integer, 1: odd, 2: even.
TENON_INLINE int32_t tenon_parity(double y) {
  if (floor(y) != y) return 0;
  if (fabs(y) >= 9007199254740992.0) return 2;
  return floor(0.5 * y) * 2.0 == y ? 2 : 1;
}

// x^y for positive finite x and finite y. The error grows with the exponent of
// the result, to 1e-14.
TENON_INLINE double tenon_pow_plain(double x, double y) {
  double low, high = tenon_log_pair(x, &low), p = y * high;
  if (p > 710.0) return tenon_infinity();
  if (p < -746.0) return 0.0;
  return tenon_exp_of(p, fma(y, high, -p) + y * low);
}

// As C99's annex F has it.
TENON_INLINE double tenon_pow(double x, double y) {
  const double infinity = tenon_infinity(), a = fabs(x);
  const int32_t parity = tenon_parity(y);
  double r;
  if (y == 0.0 || x == 1.0) return 1.0;
  if (x != x || y != y) return tenon_nan();
  if (fabs(y) == infinity) {
    if (a == 1.0) return 1.0;
    return (a > 1.0) == (y > 0.0) ? infinity : 0.0;
  }
  if (a == 0.0 || a == infinity) {
    r = (a == 0.0) == (y > 0.0) ? 0.0 : infinity;
  } else if (a == 1.0) {
    r = 1.0;
  } else {
    r = tenon_pow_plain(a, y);
  }
  if (tenon_bits_of_f64(x) >> 63) {
    if (parity == 1) return -r;
    if (parity == 0 && a != 0.0 && a != infinity) return tenon_nan();
  }
  return r;
}

TENON_INLINE double tenon_hypot(double x, double y) {
  const double infinity = tenon_infinity();
  double a = fabs(x), b = fabs(y), t;
  if (a == infinity || b == infinity) return infinity;
  if (a < b) {
    t = a;
    a = b;
    b = t;
  }
  if (!(b > 0.0)) return a + b;  // zero or not a number
  // Far from the limits, where squares neither overflow nor vanish.
  t = 1.0;
  if (a > 1e150) t = 1e-200;
  if (a < 1e-100) t = 1e200;
  a *= t;
  b *= t;
  return sqrt(fma(a, a, b * b)) / t;
}

#endif  // TENON_KERN_REAL64_H
