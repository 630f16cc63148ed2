// kern/num/trig64.h - sine and its like, and their inverses, in double
// precision.
//
// As kern/num/real64.h. The argument is brought into [-pi/4, pi/4] by pi/2 in
// three pieces, or, where it is large, by as many bits of 2/pi as matter to it;
// so the relative error stays below 2e-15 for every finite x.
#ifndef TENON_KERN_TRIG64_H
#define TENON_KERN_TRIG64_H

#include "kern/num/real64.h"

// 64 bits of a number in limbs, lowest first, from bit `at` on.
TENON_INLINE uint64_t tenon_limbs_bits(const uint32_t *limbs, int32_t at) {
  uint64_t bits = 0;
  for (int32_t i = 63; i >= 0; --i)
    bits = bits << 1 | (limbs[(at + i) >> 5] >> ((at + i) & 31) & 1u);
  return bits;
}

// x = n pi/2 + result for |x| of 1e5 and more, |result| at most pi/4; n modulo
// 4. Bits of x * 2/pi that are worth 4 or more, or nothing, are left out.
TENON_INLINE double tenon_trig_reduce_large(double x, int32_t *n) {
  static const uint32_t two_over_pi[40] = {
      0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u,
      0x3c439041u, 0xfe5163abu, 0xdebbc561u, 0xb7246e3au, 0x424dd2e0u,
      0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u,
      0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u,
      0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu,
      0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du,
      0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u,
      0x1f8d5d08u, 0x56033046u, 0xfc7b6babu, 0xf0cfbc20u, 0x9af4361du};
  const uint64_t bits = tenon_bits_of_f64(x);
  const uint64_t m =
      (bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x0010000000000000);
  const int32_t e = (int32_t)(bits >> 52 & 0x7ff) - 1075;
  const int32_t start = e > 33 ? (e - 2) / 32 : 0;
  const int32_t point = 160 - (e - 32 * (start + 1));  // bit of the value 1
  uint32_t product[11] = {0};  // two more than it fills: bits are read beyond
  uint64_t high, low;
  double r;
  for (int32_t i = 0; i < 2; ++i) {
    const uint64_t part = i ? m >> 32 : m & 0xffffffffu;
    uint64_t carry = 0;
    for (int32_t k = 0; k < 6; ++k) {
      carry += product[i + k] + part * two_over_pi[start + 5 - k];
      product[i + k] = (uint32_t)carry;
      carry >>= 32;
    }
    product[i + 6] += (uint32_t)carry;
  }
  *n = (int32_t)(tenon_limbs_bits(product, point) & 3u);
  high = tenon_limbs_bits(product, point - 64);
  low = tenon_limbs_bits(product, point - 128);
  if (high >> 63) {  // one more, and what is missing
    *n = (*n + 1) & 3;
    low = ~low + 1;
    high = ~high + (low == 0);
    r = -((double)high * 5.421010862427522e-20 +
          (double)low * 2.938735877055719e-39);
  } else {
    r = (double)high * 5.421010862427522e-20 +
        (double)low * 2.938735877055719e-39;
  }
  if (bits >> 63) {
    *n = -*n & 3;
    r = -r;
  }
  return r * 1.5707963267948966;
}

TENON_INLINE double tenon_trig_reduce(double x, int32_t *n) {
  double k;
  if (fabs(x) >= 1e5) return tenon_trig_reduce_large(x, n);
  k = floor(x * 0.6366197723675814 + 0.5);
  *n = (int32_t)k & 3;
  // The first two have 33 bits: k times them is exact.
  return ((x - k * 1.5707963267341256) - k * 6.077100506303966e-11) -
         k * 2.0222662487959506e-21;
}

TENON_INLINE double tenon_sin_small(double x) {
  const double z = x * x;
  double p = 1.0 / 355687428096000.0;
  p = p * z - 1.0 / 1307674368000.0;
  p = p * z + 1.0 / 6227020800.0;
  p = p * z - 1.0 / 39916800.0;
  p = p * z + 1.0 / 362880.0;
  p = p * z - 1.0 / 5040.0;
  p = p * z + 1.0 / 120.0;
  p = p * z - 1.0 / 6.0;
  return x + x * z * p;
}

TENON_INLINE double tenon_cos_small(double x) {
  const double z = x * x;
  double p = -1.0 / 6402373705728000.0;
  p = p * z + 1.0 / 20922789888000.0;
  p = p * z - 1.0 / 87178291200.0;
  p = p * z + 1.0 / 479001600.0;
  p = p * z - 1.0 / 3628800.0;
  p = p * z + 1.0 / 40320.0;
  p = p * z - 1.0 / 720.0;
  p = p * z + 1.0 / 24.0;
  return 1.0 - (0.5 * z - z * z * p);
}

// sin(x + quarter pi/2)
TENON_INLINE double tenon_sin_turned(double x, int32_t quarter) {
  int32_t n;
  double r, y;
  if (x != x || fabs(x) == tenon_infinity()) return tenon_nan();
  r = tenon_trig_reduce(x, &n);
  n += quarter;
  y = n & 1 ? tenon_cos_small(r) : tenon_sin_small(r);
  return n & 2 ? -y : y;
}

TENON_INLINE double tenon_sin(double x) {
  return x == 0.0 ? x : tenon_sin_turned(x, 0);
}
TENON_INLINE double tenon_cos(double x) {
  return tenon_sin_turned(x, 1);
}

TENON_INLINE double tenon_tan(double x) {
  int32_t n;
  double r, s, c;
  if (x == 0.0) return x;
  if (x != x || fabs(x) == tenon_infinity()) return tenon_nan();
  r = tenon_trig_reduce(x, &n);
  s = tenon_sin_small(r);
  c = tenon_cos_small(r);
  return n & 1 ? -c / s : s / c;
}

// --- inverses ----------------------------------------------------------------

// For 0 <= x <= 1: atan(k / 4) + atan of what is left, at most 1/8.
TENON_INLINE double tenon_atan_small(double x) {
  static const double known[5] = {0.0, 0.24497866312686414, 0.4636476090008061,
                                  0.6435011087932844, 0.7853981633974483};
  const int32_t k = (int32_t)(4.0 * x + 0.5);
  const double at = 0.25 * (double)k;
  const double t = (x - at) / (1.0 + x * at), z = t * t;
  double p = -1.0 / 19.0;
  p = p * z + 1.0 / 17.0;
  p = p * z - 1.0 / 15.0;
  p = p * z + 1.0 / 13.0;
  p = p * z - 1.0 / 11.0;
  p = p * z + 1.0 / 9.0;
  p = p * z - 1.0 / 7.0;
  p = p * z + 1.0 / 5.0;
  p = p * z - 1.0 / 3.0;
  return known[k] + (t + t * z * p);
}

TENON_INLINE double tenon_atan(double x) {
  const double a = fabs(x);
  if (x != x || x == 0.0) return x;
  return copysign(a > 1.0 ? 1.5707963267948966 - tenon_atan_small(1.0 / a)
                          : tenon_atan_small(a),
                  x);
}

TENON_INLINE double tenon_atan2(double y, double x) {
  const double infinity = tenon_infinity();
  double a = fabs(y), b = fabs(x), r;
  if (x != x || y != y) return tenon_nan();
  if (a == infinity && b == infinity)
    r = 0.7853981633974483;
  else if (a == 0.0)
    r = 0.0;
  else if (a > b)
    r = 1.5707963267948966 - tenon_atan_small(b / a);
  else
    r = tenon_atan_small(a / b);
  if (tenon_bits_of_f64(x) >> 63)
    r = (3.141592653589793 - r) + 1.2246467991473532e-16;
  return copysign(r, y);
}

TENON_INLINE double tenon_asin(double x) {
  if (x == 0.0) return x;
  if (!(fabs(x) <= 1.0)) return tenon_nan();
  return tenon_atan2(x, sqrt((1.0 - x) * (1.0 + x)));
}

TENON_INLINE double tenon_acos(double x) {
  if (!(fabs(x) <= 1.0)) return tenon_nan();
  return 2.0 * tenon_atan2(sqrt(1.0 - x), sqrt(1.0 + x));
}

#endif  // TENON_KERN_TRIG64_H
