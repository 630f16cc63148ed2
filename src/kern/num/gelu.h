// kern/num/gelu.h - x times the normal distribution at x, in single precision.
//
// As kern/num/real.h, error 1.95. For t = |x| the distribution's tail times t
// is exp(-t^2 / 2) u R(u) with u = t / (t + 4). What the square, the quotient
// and the products lose is found and put back, since the result has the error
// of all of them.
#ifndef TENON_KERN_GELU_H
#define TENON_KERN_GELU_H

#include "kern/num/real.h"
#include "kern/op/activation.h"

TENON_INLINE float tenon_geluf(float x) {
  const float magic = 12582912.0f, a = x < 0.0f ? -x : x;
  const float t = a > 15.0f ? 15.0f : a;  // where the tail is 0
  // exp(-t^2 / 2) = 2^k (1 + m)
  const float half = 0.5f * t, h = half * t;
  const float sum = fmaf(h, -1.44269504088896341f, magic), n = sum - magic;
  const float low = fmaf(n, 2.12194440e-4f, -fmaf(half, t, -h));
  const float m = tenon_expm1_near_f32(fmaf(n, -0.693359375f, -h) + low);
  const int32_t k = (int32_t)(tenon_bits_of_f32(sum) - 0x4b400000u);
  // What of t is missing in u (t + 4), of the sum and of the quotient.
  const float d = t + 4.0f, u = t / d;
  const float miss = fmaf(-u, d, t) - u * (t - (d - 4.0f));
  const float s = u - TENON_GELU_MIDDLE, q = TENON_POLY_GELU(fmaf, (float), s);
  const float r = fmaf(q, s, TENON_GELU_FIRST);
  const float b = u * r;
  float b_low = fmaf(u, fmaf(q, s, TENON_GELU_FIRST - r), fmaf(u, r, -b)), y;
  b_low = fmaf(miss, TENON_GELU_SLOPE(fmaf, (float), u), b_low);
  y = tenon_scale_f32(b + fmaf(b, m, fmaf(b_low, m, b_low)), k);
  return tenon_bits_of_f32(x) >> 31 ? -y : x - y;
}

#endif  // TENON_KERN_GELU_H
