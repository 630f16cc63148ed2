// kern/num/fixed16.h - functions of 16-bit fixed-point numbers, as gemmlowp
// computes them: LiteRT's recurrent layers of integers depend on each bit.
//
// A number has `bits` integer bits, so 1 is 2^(15 - bits); results have none,
// and 1 is 32767. All that overflows wraps, as there.
#ifndef TENON_KERN_FIXED16_H
#define TENON_KERN_FIXED16_H

#include "kern/num/fixed.h"

TENON_INLINE int16_t tenon_wrap_s16(int32_t x) {
  return (int16_t)(uint16_t)(uint32_t)x;
}

TENON_INLINE int16_t tenon_saturate_s16(int32_t x) {
  return (int16_t)tenon_clamp_s32(x, INT16_MIN, INT16_MAX);
}

// a * b / 2^15, rounded with ties up; -1 * -1 saturates.
TENON_INLINE int16_t tenon_mul_high_s16(int16_t a, int16_t b) {
  return tenon_saturate_s16(((int32_t)a * b + (1 << 14)) >> 15);
}

// x * 2^n, saturating a step early below zero.
TENON_INLINE int16_t tenon_mul_pow2_s16(int16_t x, int32_t n) {
  const int32_t most = (1 << (15 - n)) - 1;
  if (n == 0) return x;
  if (x > most) return INT16_MAX;
  return (int16_t)(x < -most ? INT16_MIN : x * (1 << n));
}

// The same where neither is -1, as of numbers within these functions, none of
// which overflows.
TENON_INLINE int32_t tenon_near_s16(int32_t a, int32_t b) {
  return (a * b + (1 << 14)) >> 15;
}

// e to the x for x from -1/4 up to 0, without integer bits: a polynomial about
// -1/8.
TENON_INLINE int32_t tenon_exp_quarter_s16(int32_t a) {
  const int32_t middle = 28918, third = 10923;  // exp(-1/8), 1/3
  const int32_t x = a + (1 << 12);
  const int32_t x2 = tenon_near_s16(x, x), x3 = tenon_near_s16(x2, x);
  const int32_t x4 = (tenon_near_s16(x2, x2) + 2) >> 2;  // not negative
  const int32_t rest =
      (tenon_near_s16(x4 + x3, third) + x2 + 1) >> 1;  // nor it
  return middle + tenon_near_s16(middle, x + rest);
}

// e to the x, which is not above 0.
TENON_INLINE int32_t tenon_exp_s16(int32_t x, int32_t bits) {
  // exp(-1/4), exp(-1/2) up to exp(-16)
  static const int16_t power[] = {25520, 19875, 12055, 4435, 600, 11, 0};
  const int32_t fraction = 15 - bits, quarter = 1 << (fraction - 2);
  const int32_t part = (x & (quarter - 1)) - quarter;
  int32_t y = tenon_exp_quarter_s16(part * (1 << bits));
  if (x == 0) return INT16_MAX;
  const int16_t *factor = power;
  for (int32_t n = ((part - x) >> (fraction - 2)) & 127; n; n >>= 1, ++factor)
    if (n & 1) y = tenon_near_s16(y, *factor);
  return bits > 5 && x < -(1 << (20 - bits)) ? 0 : y;
}

// 2 / (1 + x) of x from 0 on, with two integer bits: Newton's method on half of
// 1 + x.
TENON_INLINE int32_t tenon_newton_s16(int32_t half, int32_t y) {
  return y + tenon_near_s16(y, (1 << 13) - tenon_near_s16(half, y)) * 4;
}
TENON_INLINE int32_t tenon_two_over_s16(int32_t x) {
  const int32_t half = (x + INT16_MAX + 1) >> 1;
  const int32_t y =
      tenon_newton_s16(half, 23130 + tenon_near_s16(half, -15420));
  return tenon_newton_s16(half, tenon_newton_s16(half, y));
}

TENON_INLINE int16_t tenon_logistic_s16(int16_t x, int32_t bits) {
  if (x == 0) return 1 << 14;
  int32_t y = 2 * tenon_two_over_s16(tenon_exp_s16(x > 0 ? -x : x, bits));
  if (y > INT16_MAX) y = INT16_MAX;
  return (int16_t)(x > 0 ? y : INT16_MAX - y);
}

// Of the positive x it is what the double of it makes: one bit more.
TENON_INLINE int16_t tenon_tanh_s16(int16_t x, int32_t bits) {
  if (x == 0) return 0;
  int32_t y = tenon_two_over_s16(tenon_exp_s16(x < 0 ? x : -x, bits + 1));
  y = (y - (1 << 13)) * 4;
  if (y > INT16_MAX) y = INT16_MAX;
  return (int16_t)(x < 0 ? -y : y);
}

#endif  // TENON_KERN_FIXED16_H
