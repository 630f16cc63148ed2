// kern/num/gelu.h - x times the normal distribution at x, in single precision.
//
// As kern/num/real.h, error 1.71, by fused multiply-adds. For t = |x| the
// distribution's tail times t is exp(-t^2 / 2) M(t), where M is a polynomial of
// a piece of t (gelu_table.h). The square and the product with the power of two
// are in two pieces each. The tail is 2^40 times itself until it is
// subtracted from x or 0.
#ifndef TENON_KERN_GELU_H
#define TENON_KERN_GELU_H

#include "kern/num/gelu_table.h"
#include "kern/num/real.h"
#include "kern/op/activation.h"

TENON_INLINE float tenon_geluf(float x) {
  static const float table[TENON_GELU_POWERS + 1][16] = TENON_GELU_TABLE;
  const float one = 9.094947017729282e-13f;  // 2^-40
  const float magic = TENON_EXP_MAGIC + 40.0f, a = x < 0.0f ? -x : x;
  const float t = a > 14.99f ? 14.99f : a;  // where the tail is 0
  const float w = t * t;
  const float sum = fmaf(w, -0.72134752044448170f, magic), n = sum - magic;
  // Twice what is left of the exponent.
  const float low = fmaf(n, 2.0f * TENON_LN2_REST, -fmaf(t, t, -w));
  const float r = fmaf(n, -2.0f * TENON_LN2, -w) + low;
  const float q = TENON_POLY_EXPM1_TABLE_HALF(fmaf, (float), r);
  const float entry = tenon_exp_entry_f32(tenon_bits_of_f32(sum));
  const uint32_t piece = tenon_bits_of_f32(t + 1.0f) >> 21 & 15u;
  const float s = t - table[0][piece];
  const float last = table[TENON_GELU_POWERS][piece];
  float m = table[1][piece], first = 0.5f * t, y, z;
  // t / 2 in the first piece, which ends where it is 1/8; others have more.
  first = first > 0.125f ? 0.125f : first;
  first = first < last ? last : first;
  for (int i = 2; i < TENON_GELU_POWERS; ++i)
    m = fmaf(m, s, table[i][piece]);
  m = fmaf(m, s, first);
  z = m * entry;
  y = z + fmaf(z, q, fmaf(m, entry, -z));
  return fmaf(-y, one, x < -0.0f ? -0.0f : x);
}

#endif  // TENON_KERN_GELU_H
