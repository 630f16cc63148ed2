// kern/num/real.h - exp, log, tanh, erf and their like in single precision;
// trig.h, pow.h and gelu.h have the others.
//
// Own implementations, because libraries differ: the same bits come out of
// every C library, compiler and instruction set, as long as contraction is off.
// Only + - * /, where a function says so a fused multiply-add, comparisons and
// the bits of a float are used, so a vector version is the same text on wider
// types. The errors stated are the largest over all
// floats, in units in the last place of the result, as docs/functions.md has
// them.
#ifndef TENON_KERN_REAL_H
#define TENON_KERN_REAL_H

#include <math.h>

#include "kern/num/exp_table.h"
#include "kern/num/half.h"
#include "kern/num/real_poly.h"

// 2^n for n from -126 to 127.
TENON_INLINE float tenon_pow2_f32(int32_t n) {
  return tenon_f32_of_bits((uint32_t)(n + 127) << 23);
}

// y * 2^k where the result may be subnormal or infinite, y near 1: in two
// factors, since 2^k may be out of range where the result is not.
TENON_INLINE float tenon_scale_f32(float y, int32_t k) {
  const int32_t half = k / 2;
  return y * tenon_pow2_f32(half) * tenon_pow2_f32(k - half);
}

// The first 12 bits of x: products of two such numbers are exact.
TENON_INLINE float tenon_cut_f32(float x) {
  return tenon_f32_of_bits(tenon_bits_of_f32(x) & 0xfffff000u);
}

// 2^(s / 16) less the constant factor of TENON_EXP_TABLE, from the bits of a
// sum with TENON_EXP_MAGIC: s is below them, the exponent has to be in range.
TENON_INLINE float tenon_exp_entry_f32(uint32_t bits) {
  static const uint32_t table[16] = TENON_EXP_TABLE;
  return tenon_f32_of_bits(table[bits & 15u] + (bits << 19));
}

// exp(x), error 1.2.
TENON_INLINE float tenon_expf(float x) {
  const float magic = TENON_EXP_MAGIC;
  float sum, n, r;
  uint32_t k;
  x = x < -105.0f ? -105.0f : x;
  x = x > 89.0f ? 89.0f : x;
  sum = x * 1.44269504088896341f + magic;
  n = sum - magic;
  // ln 2 in two pieces, the first of nine bits: n times it is exact.
  r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  // Sixteenths from -256 on. Those of a NaN are whatever, and stay harmless.
  k = tenon_bits_of_f32(sum) - TENON_EXP_MAGIC_BITS + 4096u;
  return tenon_scale_f32(tenon_exp_entry_f32(k & 15u) * TENON_POLY_EXP_TABLE(r),
                         (int32_t)(k >> 4) - 256);
}

// 2^x, error 1.1.
TENON_INLINE float tenon_exp2f(float x) {
  const float magic = 12582912.0f;
  float sum, r;
  x = x < -151.0f ? -151.0f : x;
  x = x > 129.0f ? 129.0f : x;
  sum = x + magic;
  r = x - (sum - magic);
  return tenon_scale_f32(
      1.0f + (r * 0.69314718055994531f + r * r * TENON_POLY_EXP2(r)),
      (int32_t)(tenon_bits_of_f32(sum) - 0x4b400000u));
}

// exp(x) - 1, error 1.1: (1 - 2^-k + exp(r) - 1) * 2^k.
TENON_INLINE float tenon_expm1f(float x) {
  const float magic = 12582912.0f;
  float sum, n, high, low, r, lost, one, y;
  int32_t k;
  if (x == 0.0f) return x;
  x = x < -26.0f ? -26.0f : x;
  x = x > 89.0f ? 89.0f : x;
  sum = x * 1.44269504088896341f + magic;
  n = sum - magic;
  high = x - n * 0.693359375f;
  low = n * 2.12194440e-4f;
  r = high + low;
  lost = (high - r) + low;
  k = (int32_t)(tenon_bits_of_f32(sum) - 0x4b400000u);
  one = 1.0f - tenon_pow2_f32(k > 30 ? -30 : -k);
  y = one + r;
  lost += k == 0 ? 0.0f : r - (y - one);
  return tenon_scale_f32(y + (r * r * TENON_POLY_EXPM1(r) + lost), k);
}

// The power of two of a positive x, subnormal or not: x = (1 + f) 2^result with
// 1 + f in [sqrt(2) / 2, sqrt(2)).
TENON_INLINE int32_t tenon_log_split_f32(float x, float *f) {
  uint32_t bits = tenon_bits_of_f32(x);
  int32_t k = 0;
  if (bits < 0x00800000u) {
    k = -25;
    bits = tenon_bits_of_f32(x * 33554432.0f);
  }
  bits += 0x3f800000u - 0x3f3504f3u;
  k += (int32_t)(bits >> 23) - 127;
  bits = (bits & 0x007fffffu) + 0x3f3504f3u;
  *f = tenon_f32_of_bits(bits) - 1.0f;
  return k;
}

// log(1 + f) - (f - half), where half = f^2 / 2. The method of FreeBSD's msun:
// by s = f / (2 + f).
TENON_INLINE float tenon_log_rest_f32(float f, float half) {
  const float s = f / (2.0f + f), z = s * s, w = z * z;
  return s * (half + (TENON_POLY_LOG_EVEN(z, w) + TENON_POLY_LOG_ODD(w)));
}

// What log gives for what has no logarithm, or x itself if it has one.
TENON_INLINE bool tenon_log_is_special_f32(float x, float *y) {
  *y = x;
  if (x == 0.0f) *y = tenon_f32_of_bits(0xff800000u);
  if (x < 0.0f) *y = tenon_f32_of_bits(0x7fc00000u);
  return !(x > 0.0f) || tenon_bits_of_f32(x) == 0x7f800000u;
}

// log(x), error 0.84.
TENON_INLINE float tenon_logf(float x) {
  float y, f, half, k;
  if (tenon_log_is_special_f32(x, &y)) return y;
  k = (float)tenon_log_split_f32(x, &f);
  half = 0.5f * f * f;
  return tenon_log_rest_f32(f, half) + k * 9.0580006145e-06f - half + f +
         k * 6.9313812256e-01f;
}

// log(1 + x), error 0.84: the logarithm of the rounded sum, and what that lost
// by the sum.
TENON_INLINE float tenon_log1pf(float x) {
  const float u = 1.0f + x;
  float y, f, half, k, lost;
  if (x == 0.0f) return x;
  if (tenon_log_is_special_f32(u, &y)) return y;
  k = (float)tenon_log_split_f32(u, &f);
  lost = (x > 1.0f ? 1.0f - (u - x) : x - (u - 1.0f)) / u;
  if (k == 0.0f) {
    f = x;
    lost = 0.0f;
  }
  half = 0.5f * f * f;
  return tenon_log_rest_f32(f, half) + (k * 9.0580006145e-06f + lost) - half +
         f + k * 6.9313812256e-01f;
}

// log(x) times a number, of which there are 12 bits and the rest, and that
// number times log(2), so that 8-bit integers times the first piece are exact.
TENON_INLINE float tenon_log_by_f32(float x, float by, float by_rest, float two,
                                    float two_rest) {
  float y, f, half, rest, k, high, low, a, b;
  if (tenon_log_is_special_f32(x, &y)) return y;
  k = (float)tenon_log_split_f32(x, &f);
  half = 0.5f * f * f;
  rest = tenon_log_rest_f32(f, half);
  high = tenon_cut_f32(f - half);
  low = (f - high) - half + rest;
  a = high * by;
  b = k * two;
  y = b + a;  // the larger first, or b is 0
  return y +
         ((b - y + a) + (k * two_rest + ((low + high) * by_rest + low * by)));
}

// log2(x) and log10(x), errors 0.85 and 0.74.
TENON_INLINE float tenon_log2f(float x) {
  return tenon_log_by_f32(x, 1.44287109375f, -1.7605285393e-04f, 1.0f, 0.0f);
}
TENON_INLINE float tenon_log10f(float x) {
  return tenon_log_by_f32(x, 0.434326171875f, -3.1689971365e-05f,
                          3.0102920532e-01f, 7.9034151668e-07f);
}

// tanh(x), error 1.6: a polynomial near zero, else 1 - 2 / (exp(2x) + 1), both
// for |x|.
TENON_INLINE float tenon_tanhf(float x) {
  uint32_t sign = tenon_bits_of_f32(x) & 0x80000000u;
  float a = tenon_f32_of_bits(tenon_bits_of_f32(x) ^ sign), y;
  if (a < 0.625f) {
    float z = a * a;
    y = TENON_POLY_TANH(z) * a + a;
  } else {
    y = 1.0f - 2.0f / (tenon_expf(2.0f * a) + 1.0f);
  }
  return tenon_f32_of_bits(tenon_bits_of_f32(y) | sign);
}

// 1 / (1 + exp(-x)), error 2.0. The sum is 2^-40 times itself, so that it
// does not overflow where the result is subnormal or 0.
TENON_INLINE float tenon_logisticf(float x) {
  const float one = 9.094947017729282e-13f;  // 2^-40
  const float magic = TENON_EXP_MAGIC - 40.0f;
  float a = x < -105.0f ? -105.0f : x, sum, n, r, q, entry;
  a = a > 40.0f ? 40.0f : a;
  sum = a * -1.44269504088896341f + magic;
  n = sum - magic;
  // ln 2 in two pieces, the first of nine bits: n times it is exact.
  r = (-a - n * 0.693359375f) + n * 2.12194440e-4f;
  q = TENON_POLY_3(r, TENON_EXP_CUBE, TENON_EXP_SQUARE, TENON_EXP_SLOPE,
                   TENON_EXP_SLOPE - 1.0f);
  entry = tenon_exp_entry_f32(tenon_bits_of_f32(sum));
  // 1 and what is taken off it first: that rounds to half of a place.
  return one / (entry + (entry * q + one));
}

// x / (1 + exp(-x)) for any x, by fused multiply-adds. The sum is 2^-40 times
// itself, so that it overflows only where the result is 0: the polynomial, too
// far from 0 there, makes it infinite, and x over infinity has the sign of
// zeros and is no number at minus infinity, as PyTorch's. What x has over 40 is
// added.
TENON_INLINE float tenon_silu_far_f32(float x) {
  const float one = 9.094947017729282e-13f;  // 2^-40
  const float magic = TENON_EXP_MAGIC - 40.0f;
  const float a = x > 40.0f ? 40.0f : x;
  const float t = fmaf(a, -1.44269504088896341f, magic);
  const float most = magic + 167.9375f, sum = t > most ? most : t;
  const float n = sum - magic;
  const float r = fmaf(n, TENON_LN2_REST, fmaf(n, -TENON_LN2, -a));
  const float q = TENON_POLY_EXPM1_TABLE(fmaf, (float), r);
  const float entry = tenon_exp_entry_f32(tenon_bits_of_f32(sum));
  // 1 and what is taken off it first: that rounds to half of a place.
  const float d = entry + fmaf(entry, q, one);
  return fmaf(a / d, one, -(a - x));
}

// x / (1 + exp(-x)), error 2.0: the same with less, for x from -23.5 to 65.1,
// where the sixteenths of the sum are below TENON_SILU_STEPS, and others far.
// What TENON_LN2 is too large by makes exp up to 1.1 * 2^-24 too small down
// there, of which the polynomial has half.
TENON_INLINE float tenon_siluf(float x) {
  static const uint32_t table[16] = TENON_SILU_TABLE;
  const float magic = TENON_SILU_MAGIC;
  const float sum = fmaf(x, -1.44269504088896341f, magic), n = sum - magic;
  const float r = fmaf(n, -TENON_LN2, -x);
  const float q = TENON_POLY_EXPM1_TABLE_UP(fmaf, (float), r);
  const uint32_t bits = tenon_bits_of_f32(sum);
  const float entry = tenon_f32_of_bits(table[bits & 15u] + (bits << 19));
  if ((bits ^ TENON_EXP_MAGIC_BITS) >= TENON_SILU_STEPS)
    return tenon_silu_far_f32(x);
  return x / (entry + fmaf(entry, q, 1.0f));
}

// log(1 + exp(x)), error 1.9, by fused multiply-adds: what x has over 0, and
// the logarithm of one and e, which is exp(-|x|).
TENON_INLINE float tenon_softplusf(float x) {
  const float magic = TENON_EXP_MAGIC + 64.0f;  // e is 2^64 times itself
  float a = tenon_f32_of_bits(tenon_bits_of_f32(x) & 0x7fffffffu);
  float sum, n, r, q, entry, e;
  a = a > 105.0f ? 105.0f : a;
  sum = fmaf(a, -1.44269504088896341f, magic);
  n = sum - magic;
  r = fmaf(n, TENON_LN2_REST, fmaf(n, -TENON_LN2, -a));
  q = TENON_POLY_EXPM1_TABLE(fmaf, (float), r);
  entry = tenon_exp_entry_f32(tenon_bits_of_f32(sum));
  e = fmaf(entry, q, entry) * 5.421010862427522e-20f;
  return (x > 0.0f ? x : 0.0f) +
         fmaf(e * e, TENON_POLY_LOG1P(fmaf, (float), e), e);
}

// The error function, error 1.5: a polynomial near zero, else one minus exp of
// another.
TENON_INLINE float tenon_erff(float x) {
  uint32_t sign = tenon_bits_of_f32(x) & 0x80000000u;
  float a = tenon_f32_of_bits(tenon_bits_of_f32(x) ^ sign), y;
  if (a < 0.9f) {
    float z = a * a;
    y = a * TENON_POLY_ERF(z) + a;
  } else {
    a = a > 4.0f ? 4.0f : a;  // from where the result is 1
    y = 1.0f - tenon_expf(TENON_POLY_ERFC(a));
  }
  return tenon_f32_of_bits(tenon_bits_of_f32(y) | sign);
}

#endif  // TENON_KERN_REAL_H
