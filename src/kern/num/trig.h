// kern/num/trig.h - sine and cosine in single precision.
//
// As kern/num/real.h. The argument is brought into [-pi/4, pi/4] by pi/2 in
// four pieces, or, where it is large, by those bits of 2/pi that matter to it.
#ifndef TENON_KERN_TRIG_H
#define TENON_KERN_TRIG_H

#include "kern/num/real.h"

// Below it, the multiple of pi/2 has 13 bits, and its products with the first
// three pieces, of 11 bits each, are exact.
#define TENON_TRIG_NEAR 12800.0f
#define TENON_HALF_PI_1 1.5703125f
#define TENON_HALF_PI_2 4.837512969970703e-4f
#define TENON_HALF_PI_3 7.549533620476723e-8f
#define TENON_HALF_PI_4 2.5633440682570896e-12f

// x = n pi/2 + (r + low), |r| at most pi/4 and a little.
typedef struct tenon_angle {
  float r, low;
  int32_t n;
} tenon_angle;

// For |x| of TENON_TRIG_NEAR and more, finite. Bits of x * 2/pi that are worth
// 4 or more are left out, and so are those below 2^-62. Doubles are for the
// last step alone.
TENON_INLINE tenon_angle tenon_trig_reduce_far_f32(float x) {
  static const uint32_t two_over_pi[10] = {
      0u,          0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u,
      0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u, 0xb7246e3au};
  const uint32_t bits = tenon_bits_of_f32(x);
  const uint32_t m = (bits & 0x007fffffu) | 0x00800000u;
  const uint32_t first = (bits >> 23 & 0xffu) - 120u;
  uint32_t w[3];
  uint64_t p;
  tenon_angle a;
  double d;
  for (uint32_t i = 0; i < 3; ++i) {
    const uint64_t two = (uint64_t)two_over_pi[first / 32 + i] << 32 |
                         two_over_pi[first / 32 + i + 1];
    w[i] = (uint32_t)(two >> (32 - first % 32));
  }
  p = ((uint64_t)(m * w[0]) << 32) + (uint64_t)m * w[1] +
      ((uint64_t)m * w[2] >> 32);
  a.n = (int32_t)((p + (UINT64_C(1) << 61)) >> 62);
  p -= (uint64_t)a.n << 62;
  // pi/2 2^-62
  d = (p >> 63 ? -(double)(0 - p) : (double)p) * 3.4061215800304345e-19;
  if (bits >> 31) {
    d = -d;
    a.n = -a.n;
  }
  a.r = (float)d;
  a.low = (float)(d - (double)a.r);
  return a;
}

TENON_INLINE tenon_angle tenon_trig_reduce_f32(float x) {
  const float magic = 12582912.0f;
  const float sum = x * 0.63661977236758134f + magic, n = sum - magic;
  float t, w, u, v, lost;
  tenon_angle a;
  if (!(x > -TENON_TRIG_NEAR && x < TENON_TRIG_NEAR))
    return tenon_trig_reduce_far_f32(x);
  a.n = (int32_t)(tenon_bits_of_f32(sum) - 0x4b400000u);
  // Knuth's TwoSum, twice: what each difference loses.
  t = x - n * TENON_HALF_PI_1;
  w = n * TENON_HALF_PI_2;
  u = t - w;
  v = t - u;
  lost = (t - (u + v)) + (v - w);
  w = n * TENON_HALF_PI_3;
  a.r = u - w;
  v = u - a.r;
  lost += (u - (a.r + v)) + (v - w);
  a.low = lost - n * TENON_HALF_PI_4;
  return a;
}

// sin(x + quarter pi/2)
TENON_INLINE float tenon_sin_turned_f32(float x, int32_t quarter) {
  tenon_angle a;
  float z, y;
  if (x - x != 0.0f) return tenon_f32_of_bits(0x7fc00000u);
  a = tenon_trig_reduce_f32(x);
  a.n += quarter;
  z = a.r * a.r;
  if (a.n & 1) {
    const float half = 0.5f * z, w = 1.0f - half;
    y = w + (((1.0f - w) - half) + (z * z * TENON_POLY_COS(z) - a.r * a.low));
  } else {
    y = a.r + (a.low + a.r * z * TENON_POLY_SIN(z));
  }
  return a.n & 2 ? -y : y;
}

// Errors 0.98 and 0.94.
TENON_INLINE float tenon_sinf(float x) {
  return x == 0.0f ? x : tenon_sin_turned_f32(x, 0);
}
TENON_INLINE float tenon_cosf(float x) {
  return tenon_sin_turned_f32(x, 1);
}

#endif  // TENON_KERN_TRIG_H
