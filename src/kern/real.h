// kern/real.h - exp, log, tanh and their like in single precision.
//
// Own implementations, because libraries differ: the same bits come out of
// every C library, compiler and instruction set, as long as contraction is off.
// Only
// + - * /, comparisons and the bits of a float are used, so a vector version is
// the same text on wider types. The errors stated are the largest found over
// all floats, in units in the last place of the result.
#ifndef TENON_KERN_REAL_H
#define TENON_KERN_REAL_H

#include "kern/half.h"

// 2^n for n from -126 to 127.
TENON_INLINE float tenon_pow2_f32(int32_t n) {
  return tenon_f32_of_bits((uint32_t)(n + 127) << 23);
}

// exp(x), error 0.8. Polynomial of Cephes' expf on what is left of x when a
// multiple of ln 2 is taken off.
TENON_INLINE float tenon_expf(float x) {
  const float magic = 12582912.0f;
  float sum, n, high, low, r, lost, p, y;
  int32_t k, half;
  x = x < -105.0f ? -105.0f : x;
  x = x > 89.0f ? 89.0f : x;
  // Adding 1.5 * 2^23 leaves the nearest integer in the low bits of the sum.
  sum = x * 1.44269504088896341f + magic;
  n = sum - magic;
  // ln 2 in two pieces, the first of nine bits: n times it is exact.
  high = x - n * 0.693359375f;
  low = n * 2.12194440e-4f;
  r = high + low;
  lost = (high - r) + low;
  p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  // 1 + r + r^2 p, with what the first sum loses put back.
  y = 1.0f + r;
  lost += r - (y - 1.0f);
  y += r * r * p + lost;
  // 2^n in two factors, since it may be out of range where the result is not.
  // The integer of a NaN is whatever, and stays harmless.
  k = (int32_t)(tenon_bits_of_f32(sum) - 0x4b400000u);
  half = k / 2;
  return y * tenon_pow2_f32(half) * tenon_pow2_f32(k - half);
}

// log(x), error 0.9. The method of FreeBSD's msun: log(1 + f) by s = f / (2 +
// f).
TENON_INLINE float tenon_logf(float x) {
  uint32_t bits;
  int32_t k = 0;
  float f, s, z, w, even, odd, hfsq, dk;
  if (x != x) return x;
  if (x == 0.0f) return tenon_f32_of_bits(0xff800000u);
  if (x < 0.0f) return tenon_f32_of_bits(0x7fc00000u);
  bits = tenon_bits_of_f32(x);
  if (bits == 0x7f800000u) return x;
  if (bits < 0x00800000u) {
    k = -25;
    bits = tenon_bits_of_f32(x * 33554432.0f);
  }
  // Bring the fraction into [sqrt(2) / 2, sqrt(2)).
  bits += 0x3f800000u - 0x3f3504f3u;
  k += (int32_t)(bits >> 23) - 127;
  bits = (bits & 0x007fffffu) + 0x3f3504f3u;
  f = tenon_f32_of_bits(bits) - 1.0f;
  s = f / (2.0f + f);
  z = s * s;
  w = z * z;
  odd = w * (0.40000972152f + w * 0.24279078841f);
  even = z * (0.66666662693f + w * 0.28498786688f);
  hfsq = 0.5f * f * f;
  dk = (float)k;
  return s * (hfsq + (even + odd)) + dk * 9.0580006145e-06f - hfsq + f +
         dk * 6.9313812256e-01f;
}

// tanh(x), error 1.4. Cephes' polynomial near zero, else 1 - 2 / (exp(2x) + 1),
// both for |x|.
TENON_INLINE float tenon_tanhf(float x) {
  uint32_t sign = tenon_bits_of_f32(x) & 0x80000000u;
  float a = tenon_f32_of_bits(tenon_bits_of_f32(x) ^ sign), y;
  if (a < 0.625f) {
    float z = a * a, p = -5.70498872745e-3f;
    p = p * z + 2.06390887954e-2f;
    p = p * z - 5.37397155531e-2f;
    p = p * z + 1.33314422036e-1f;
    p = p * z - 3.33332819422e-1f;
    y = p * z * a + a;
  } else {
    y = 1.0f - 2.0f / (tenon_expf(2.0f * a) + 1.0f);
  }
  return tenon_f32_of_bits(tenon_bits_of_f32(y) | sign);
}

// 1 / (1 + exp(-x)), error 2.5, from the side where exp does not overflow.
TENON_INLINE float tenon_logisticf(float x) {
  float e = tenon_expf(x < 0.0f ? x : -x);
  return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

#endif  // TENON_KERN_REAL_H
