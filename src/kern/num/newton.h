// kern/num/newton.h - reciprocals, inverse roots and logarithms in integers,
// step by step as gemmlowp computes them: LiteRT's quantised kernels depend on
// each bit.
#ifndef TENON_KERN_NEWTON_H
#define TENON_KERN_NEWTON_H

#include "kern/num/fixed.h"

// Of 32 bits, how many in front are 0.
TENON_INLINE int32_t tenon_zeros_s32(int32_t x) {
  int32_t n = 0;
  while (n < 32 && !((uint32_t)x << n & 0x80000000u))
    ++n;
  return n;
}

// 1 / (1 + x) for x from 0 to 1; both in units of 2^-31. Three steps from
// 48/17 - 32/17 half, the usual first guess; x has two integer bits.
TENON_INLINE int32_t tenon_one_over_s32(int32_t x) {
  int64_t twice = (int64_t)x + INT32_MAX;
  int32_t half = (int32_t)((twice + (twice >= 0 ? 1 : -1)) / 2), y;
  y = tenon_add_s32(1515870810, tenon_mul_high_s32(half, -1010580540));
  for (int i = 0; i < 3; ++i) {
    int32_t rest = (1 << 29) - tenon_mul_high_s32(half, y);
    y = tenon_add_s32(y, tenon_mul_pow2_s32(tenon_mul_high_s32(y, rest), 2));
  }
  return tenon_mul_pow2_s32(y, 1);
}

// 1 / x, of a positive x with `bits` integer bits, in units of 2^-31, to be
// shifted right by `shift` more.
TENON_INLINE int32_t tenon_reciprocal_s32(int32_t x, int32_t bits,
                                          int32_t *shift) {
  int32_t zeros = tenon_zeros_s32(x);
  *shift = bits - zeros;
  return tenon_one_over_s32((int32_t)(((uint32_t)x << zeros) - 0x80000000u));
}

// 1 / sqrt(x) as a factor; x below 2 counts as 1.
TENON_INLINE void tenon_inverse_sqrt_s32(int32_t x, int32_t *mult,
                                         int32_t *shift) {
  int32_t right = 11, pairs, half, y = 1 << 28;
  *mult = INT32_MAX;
  *shift = 0;
  if (x <= 1) return;
  for (; x >= 1 << 29; ++right)
    x /= 4;
  pairs = (tenon_zeros_s32(x) - 1) / 2 - 1;
  right -= pairs;
  x = (int32_t)((uint32_t)x << 2 * pairs);
  half = tenon_div_pow2_s32(x >> 1, 1);
  for (int i = 0; i < 5; ++i) {
    int32_t cube = tenon_mul_high_s32(tenon_mul_high_s32(y, y), y);
    cube = tenon_mul_pow2_s32(cube, 6);
    y = tenon_mul_high_s32((1 << 28) + (1 << 27), y) -
        tenon_mul_high_s32(half, cube);
    y = tenon_mul_pow2_s32(y, 3);
  }
  *mult = tenon_mul_high_s32(y, 1518500250);
  if (right < 0) *mult = (int32_t)((uint32_t)*mult << -right);
  *shift = right < 0 ? 0 : -right;
}

// log(x) in units of 2^-26, for x from 1 on in units of 2^-19.
//
// x is brought near 1 in two ways, a whole power of two and one by a root less,
// of which the smaller is taken; there a quotient of polynomials approximates.
TENON_INLINE int32_t tenon_log_s32(int32_t x) {
  const int32_t root = 1518500250, fourth = 1805811301;
  int32_t zeros = tenon_zeros_s32(x), low = tenon_mul_high_s32(x, root);
  int32_t room = tenon_zeros_s32(low) - 1;
  int32_t a = tenon_mul_pow2_s32(x, zeros - 1);
  int32_t b = tenon_mul_pow2_s32(x, room);
  a = tenon_mul_pow2_s32(tenon_mul_high_s32(a, root), 1);
  // Both powers with 6 integer bits, a quarter up and down.
  int32_t power_a = tenon_mul_pow2_s32(12 - zeros, 25) + (1 << 23);
  int32_t power_b = tenon_mul_pow2_s32(12 - room, 25) - (1 << 23);
  int32_t r = a < b ? a : b, power = power_a > power_b ? power_a : power_b;
  int64_t sum = (int64_t)r + fourth;
  int32_t p = (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
  int32_t q = tenon_add_s32(r - fourth, r - fourth);
  int32_t square = tenon_mul_high_s32(q, q);
  int32_t above = tenon_mul_high_s32(tenon_mul_high_s32(q, square), 117049297);
  above = tenon_add_s32(tenon_mul_high_s32(q, r), above);
  int32_t below = tenon_add_s32(tenon_add_s32(1057819769, q),
                                tenon_mul_high_s32(127690142, square));
  below = tenon_add_s32(tenon_mul_high_s32(p, below),
                        tenon_mul_high_s32(638450708, q));
  int32_t rest = tenon_mul_high_s32(tenon_div_pow2_s32(above, 6),
                                    tenon_one_over_s32(below));
  int32_t whole = tenon_mul_high_s32(power, 1488522236);
  return tenon_mul_pow2_s32(tenon_add_s32(whole, rest), 1);
}

#endif  // TENON_KERN_NEWTON_H
