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

// e to the x for x from -1/4 up to 0, without integer bits: a polynomial about
// -1/8.
TENON_INLINE int16_t tenon_exp_quarter_s16(int16_t a) {
  const int16_t middle = 28918, third = 10923;  // exp(-1/8), 1/3
  int16_t x = tenon_wrap_s16(a + (1 << 12));
  int16_t x2 = tenon_mul_high_s16(x, x), x3 = tenon_mul_high_s16(x2, x);
  int16_t x4 = (int16_t)tenon_div_pow2_s32(tenon_mul_high_s16(x2, x2), 2);
  int16_t rest = tenon_mul_high_s16(tenon_wrap_s16(x4 + x3), third);
  rest = (int16_t)tenon_div_pow2_s32(tenon_wrap_s16(rest + x2), 1);
  rest = tenon_mul_high_s16(middle, tenon_wrap_s16(x + rest));
  return tenon_saturate_s16(middle + rest);
}

// e to the x, which is not above 0.
TENON_INLINE int16_t tenon_exp_s16(int16_t x, int32_t bits) {
  // exp(-1/4), exp(-1/2) up to exp(-16)
  static const int16_t power[] = {25520, 19875, 12055, 4435, 600, 11, 0};
  const int32_t fraction = 15 - bits, quarter = 1 << (fraction - 2);
  int16_t part = (int16_t)((x & (quarter - 1)) - quarter);
  int16_t y = tenon_exp_quarter_s16(tenon_mul_pow2_s16(part, bits));
  int32_t whole = tenon_wrap_s16(part - x);
  if (x == 0) return INT16_MAX;
  for (int32_t i = -2; i <= 4 && i < bits; ++i)
    if (whole & (1 << (fraction + i))) y = tenon_mul_high_s16(y, power[i + 2]);
  return bits > 5 && x < -(1 << (20 - bits)) ? 0 : y;
}

// 2 / (1 + x), with two integer bits: Newton's method on half of 1 + x.
TENON_INLINE int16_t tenon_two_over_s16(int16_t x) {
  int32_t sum = x + INT16_MAX;
  int16_t half = (int16_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
  int16_t y = tenon_wrap_s16(23130 + tenon_mul_high_s16(half, -15420));
  for (int i = 0; i < 3; ++i) {
    int16_t rest = tenon_wrap_s16((1 << 13) - tenon_mul_high_s16(half, y));
    y = tenon_wrap_s16(y + tenon_mul_pow2_s16(tenon_mul_high_s16(y, rest), 2));
  }
  return y;
}

TENON_INLINE int16_t tenon_logistic_s16(int16_t x, int32_t bits) {
  if (x == 0) return 1 << 14;
  int16_t y = tenon_exp_s16(x > 0 ? tenon_wrap_s16(-x) : x, bits);
  y = tenon_mul_pow2_s16(tenon_two_over_s16(y), 1);
  return x > 0 ? y : tenon_wrap_s16(INT16_MAX - y);
}

// Of the positive x it is what the double of it makes: one bit more.
TENON_INLINE int16_t tenon_tanh_s16(int16_t x, int32_t bits) {
  if (x == 0) return 0;
  int16_t y = tenon_exp_s16(x < 0 ? x : tenon_wrap_s16(-x), bits + 1);
  y = tenon_wrap_s16(tenon_two_over_s16(y) - (1 << 13));
  y = tenon_mul_pow2_s16(y, 2);
  return x < 0 ? tenon_wrap_s16(-y) : y;
}

#endif  // TENON_KERN_FIXED16_H
