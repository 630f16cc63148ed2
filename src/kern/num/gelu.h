// kern/num/gelu.h - x times the normal distribution at x, in single precision.
//
// As kern/num/real.h, error 1.9, by fused multiply-adds: x or 0, less |x| times
// the distribution's tail, which is a polynomial of a piece of |x|
// (gelu_table.h). Far below zero, where that is less than 1e-9, it has an
// exponential function's steps.
#ifndef TENON_KERN_GELU_H
#define TENON_KERN_GELU_H

#include "kern/num/gelu_table.h"
#include "kern/num/real.h"
#include "kern/op/activation.h"

// For x below -TENON_GELU_NEAR: exp(-x^2 / 2) times a polynomial. The square
// and the product with the power of two are in two pieces each; the tail is
// 2^40 times itself until the end.
TENON_INLINE float tenon_gelu_far_f32(float x) {
  const float one = 9.094947017729282e-13f;  // 2^-40
  const float magic = TENON_EXP_MAGIC + 40.0f;
  const float t = x < -14.99f ? 14.99f : -x;  // where the tail is 0
  const float w = t * t, v = 1.0f / w;
  const float sum = fmaf(w, -0.72134752044448170f, magic), n = sum - magic;
  // Twice what is left of the exponent.
  const float low = fmaf(n, 2.0f * TENON_LN2_REST, -fmaf(t, t, -w));
  const float r = fmaf(n, -2.0f * TENON_LN2, -w) + low;
  const float q = TENON_POLY_EXPM1_TABLE_HALF(fmaf, (float), r);
  const float entry = tenon_exp_entry_f32(tenon_bits_of_f32(sum));
  const float m = TENON_POLY_GELU_FAR(fmaf, (float), v), z = m * entry;
  return -((z + fmaf(z, q, fmaf(m, entry, -z))) * one);
}

TENON_INLINE float tenon_geluf(float x) {
  static const float table[TENON_GELU_POWERS + 1][16] = TENON_GELU_TABLE;
  const float most = TENON_GELU_NEAR;
  const float a = tenon_f32_of_bits(tenon_bits_of_f32(x) & 0x7fffffffu);
  const float t = a > most ? most : a;  // where x less its tail is x
  const float sum =
      fmaf(t, fmaf(t, TENON_GELU_SQUARE, TENON_GELU_SLOPE), TENON_GELU_MAGIC);
  const uint32_t piece = tenon_bits_of_f32(sum) & 15u;
  const float place = table[0][piece], s = t - place;
  float q = tenon_f32_of_bits(tenon_bits_of_f32(place) << 16);
  if (x < -most) return tenon_gelu_far_f32(x);
  for (int i = 1; i <= TENON_GELU_POWERS; ++i)
    q = fmaf(q, s, table[i][piece]);
  return fmaf(-t, q, x < -0.0f ? -0.0f : x);
}

#endif  // TENON_KERN_GELU_H
