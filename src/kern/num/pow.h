// kern/num/pow.h - powers in single precision.
//
// As kern/num/real.h, error 1.1: 2 to the power of y log2(|x|), of which there
// are two floats for each number, since the result has the error of the
// exponent, not of its logarithm.
#ifndef TENON_KERN_POW_H
#define TENON_KERN_POW_H

#include "kern/num/real.h"

// 1/3 and 2 / ln 2, 12 bits and the rest.
#define TENON_POW_THIRD 0.333251953125f
#define TENON_POW_THIRD_REST 8.138020833331483e-5f
#define TENON_POW_TWO 2.884765625f
#define TENON_POW_TWO_REST 6.24456777926774e-4f

// Limits of what 2 may be raised to.
#define TENON_POW_MOST 129.0f
#define TENON_POW_LEAST -151.0f

// log2(x) = result + low, of a positive finite x: by s = f / (2 + f) in two
// pieces, and 2 / ln 2 (s + s (z / 3 + z^2 ...)), z = s^2.
TENON_INLINE float tenon_log2_pair_f32(float x, float *low) {
  float f, d, over, s, rest, z1, z, za, zb, t, t_low, a, a_low, l, l_low, sum;
  const float k = (float)tenon_log_split_f32(x, &f);
  d = 2.0f + f;
  over = 1.0f / d;
  s = tenon_cut_f32(f * over);
  t = tenon_cut_f32(d);
  rest = ((f - s * t) - s * ((d - t) + (f - (d - 2.0f)))) * over;
  z1 = s * s;
  zb = rest * (s + s + rest);
  z = z1 + zb;
  za = tenon_cut_f32(z1);
  zb += z1 - za;
  t = za * TENON_POW_THIRD;
  t_low = zb * TENON_POW_THIRD +
          (z * TENON_POW_THIRD_REST + z * z * TENON_POLY_POW(z));
  a = tenon_cut_f32(1.0f + t + t_low);
  a_low = (t - (a - 1.0f)) + t_low;
  t = s * a;
  t_low = s * a_low + rest * (a + a_low);
  l = tenon_cut_f32(t + t_low);
  l_low = (t - l) + t_low;
  a = l * TENON_POW_TWO;
  a_low = l_low * TENON_POW_TWO + (l + l_low) * TENON_POW_TWO_REST;
  // The larger first, or k is 0; and once more, so that `low` is small.
  t = k + a;
  t_low = ((k - t) + a) + a_low;
  sum = t + t_low;
  *low = (t - sum) + t_low;
  return sum;
}

// x^y for positive finite x and any y that is a number.
TENON_INLINE float tenon_pow_plain_f32(float x, float y) {
  const float magic = 12582912.0f;
  float low, high = tenon_log2_pair_f32(x, &low), a, b, p, q, sum, r;
  if (y * high >= TENON_POW_MOST) return tenon_f32_of_bits(0x7f800000u);
  if (y * high <= TENON_POW_LEAST) return 0.0f;
  a = tenon_cut_f32(high);
  low = (high - a) + low;
  b = tenon_cut_f32(y);
  p = b * a;
  q = b * low + (y - b) * (a + low);
  sum = (p + q) + magic;
  r = (p - (sum - magic)) + q;
  return tenon_scale_f32(
      1.0f + (r * 0.69314718055994531f + r * r * TENON_POLY_EXP2(r)),
      (int32_t)(tenon_bits_of_f32(sum) - 0x4b400000u));
}

// As C99's annex F has it.
TENON_INLINE float tenon_powf(float x, float y) {
  const float infinity = tenon_f32_of_bits(0x7f800000u);
  const float not_a_number = tenon_f32_of_bits(0x7fc00000u);
  const float a = x < 0.0f ? -x : x;
  float r, whole;
  bool is_whole, is_odd;
  if (y == 0.0f || x == 1.0f) return 1.0f;
  if (x != x || y != y) return not_a_number;
  // Whole numbers from 2^24 on are even.
  whole = y > 16777216.0f ? 16777216.0f : y < -16777216.0f ? -16777216.0f : y;
  is_whole = (float)(int32_t)whole == whole;
  is_odd = is_whole && ((int32_t)whole & 1);
  if (a == 0.0f)
    r = y > 0.0f ? 0.0f : infinity;
  else if (a == infinity)
    r = y > 0.0f ? infinity : 0.0f;
  else if (a == 1.0f)
    r = 1.0f;
  else
    r = tenon_pow_plain_f32(a, y);
  if (tenon_bits_of_f32(x) >> 31) {
    if (is_odd) return -r;
    if (!is_whole && a != 0.0f && a != infinity) return not_a_number;
  }
  return r;
}

#endif  // TENON_KERN_POW_H
