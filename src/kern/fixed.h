// kern/fixed.h - the integer arithmetic of quantised operators.
//
// Not a fixed-point number type: a real factor is a pair of `mult` in [2^30,
// 2^31) (or 0) and `shift`, meaning mult * 2^(shift - 31), made by the packing
// functions in ops/core. The two roundings below are LiteRT's, and an operator
// that has to agree with it bit by bit says which one it uses:
//   twice  the high half of the doubled product is rounded (ties up), then the
//          shifted result is rounded again (ties away from zero): convolutions,
//          element-wise operators, softmax
//   once   the shifted 64-bit product is rounded, ties up: fully-connected,
//          whose factors are packed so that this is what doubles give
//          (tenon_core_factor_once)
//   wide   of sums in 64 bits: the same with 15 bits of the factor, for 16-bit
//          operands
//
// Right shifts of negative numbers are arithmetic, as in every compiler that
// these texts meet.
#ifndef TENON_KERN_FIXED_H
#define TENON_KERN_FIXED_H

#include <math.h>

#include "tenon/base.h"

// A sum modulo 2^32: a model with absurd numbers may overflow, and then gets
// what the machine would have given instead of undefined behaviour.
TENON_INLINE int32_t tenon_add_s32(int32_t a, int32_t b) {
  return (int32_t)((uint32_t)a + (uint32_t)b);
}

TENON_INLINE int32_t tenon_clamp_s32(int32_t x, int32_t lo, int32_t hi) {
  return x < lo ? lo : x > hi ? hi : x;
}

TENON_INLINE int32_t tenon_saturate_s32(int64_t x) {
  return x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : (int32_t)x;
}

// a * b / 2^31, rounded with ties up; -1 * -1 saturates. It is what alone would
// be 2^31, and nothing is -2^31.
TENON_INLINE int32_t tenon_mul_high_s32(int32_t a, int32_t b) {
  const int64_t product = (int64_t)a * b;
  const int32_t y = (int32_t)(uint32_t)((product + (1 << 30)) >> 31);
  return y == INT32_MIN ? INT32_MAX : y;
}

// x / 2^n for n from 0 to 31, rounded with ties away from zero.
TENON_INLINE int32_t tenon_div_pow2_s32(int32_t x, int32_t n) {
  int32_t mask = (int32_t)((UINT32_C(1) << n) - 1);
  int32_t rest = x & mask;
  int32_t half = (mask >> 1) + (x < 0);
  return (x >> n) + (rest > half);
}

// x * 2^n, saturating.
TENON_INLINE int32_t tenon_mul_pow2_s32(int32_t x, int32_t n) {
  return tenon_saturate_s32((int64_t)x * (INT64_C(1) << n));
}

TENON_INLINE int32_t tenon_requant_twice(int32_t x, int32_t mult,
                                         int32_t shift) {
  uint32_t left = shift > 0 ? (uint32_t)shift : 0;
  int32_t right = shift > 0 ? 0 : -shift;
  int32_t scaled = (int32_t)((uint32_t)x << left);
  // As tenon_mul_high_s32 and tenon_div_pow2_s32, of factors that are not
  // negative: nothing saturates. Less one, ties of negative numbers go down.
  int64_t product = (int64_t)scaled * mult + (1 << 30);
  int32_t y = (int32_t)(uint32_t)(product >> 31);
  if (right == 0) return y;
  return ((tenon_add_s32(y, y >> 31) >> (right - 1)) + 1) >> 1;
}

TENON_INLINE int32_t tenon_requant_once(int32_t x, int32_t mult,
                                        int32_t shift) {
  int32_t right = 31 - shift;
  int64_t half = INT64_C(1) << (right - 1);
  return tenon_saturate_s32(((int64_t)x * mult + half) >> right);
}

// The range of sums that 16-bit kernels of TFLite are defined for; what is
// beyond stays at its ends, so that nothing added or multiplied later
// overflows.
TENON_INLINE int64_t tenon_limit_wide(int64_t x) {
  const int64_t most = INT64_C(1) << 47;
  if (x < -most) return -most;
  return x < most ? x : most - 1;
}

TENON_INLINE int32_t tenon_requant_wide(int64_t x, int32_t mult,
                                        int32_t shift) {
  int64_t factor = mult < 0x7FFF0000 ? (mult + (1 << 15)) >> 16 : 0x7FFF;
  int32_t right = 15 - shift;
  if (right < 1 || right > 62) return right < 1 ? tenon_saturate_s32(x) : 0;
  // Most sums have 32 bits, and factors are below 1: the same by two shifts of
  // words, without saturation.
  if (x == (int32_t)x && right >= 15 && right < 32) {
    int64_t y = (int64_t)(int32_t)x * (int32_t)factor;
    y += (int32_t)(UINT32_C(1) << (right - 1));
    return (int32_t)((uint32_t)y >> right | (uint32_t)(y >> 32)
                                                << (32 - right));
  }
  int64_t y = tenon_limit_wide(x) * factor + (INT64_C(1) << (right - 1));
  return tenon_saturate_s32(y >> right);
}

// The same by the whole factor, rounded once. The product has up to 78 bits:
// `high` in units of 2^32, and `low` below.
TENON_INLINE int32_t tenon_requant_wide_once(int64_t x, int32_t mult,
                                             int32_t shift) {
  const int64_t limited = tenon_limit_wide(x);
  const int32_t right = 31 - shift;
  int64_t low = (int64_t)((uint64_t)limited & 0xFFFFFFFFu) * mult;
  const int64_t high = (limited >> 32) * mult + (low >> 32);
  if (right > 32)
    return tenon_saturate_s32((high + (INT64_C(1) << (right - 33))) >>
                              (right - 32));
  if (high > INT32_MAX || high < INT32_MIN) return tenon_saturate_s32(high);
  low &= 0xFFFFFFFF;
  return tenon_saturate_s32(high * (INT64_C(1) << (32 - right)) +
                            ((low + (INT64_C(1) << (right - 1))) >> right));
}

// The integer nearest to x within limits below 2^23, halves away from zero.
// What is no number becomes `lo`.
TENON_INLINE int32_t tenon_round_s32(float x, int32_t lo, int32_t hi) {
#if defined(__ARM_FP) && __ARM_ARCH >= 8  // where that is an instruction
  const float y = roundf(x);
  if (!(y > (float)lo)) return lo;
  return y < (float)hi ? (int32_t)y : hi;
#else
  x = x > (float)lo ? x : (float)lo;
  x = x < (float)hi ? x : (float)hi;
  // The largest float below a half: with a half, what is next to one would
  // become one.
  return (int32_t)(x + (x < 0 ? -0.49999997f : 0.49999997f));
#endif
}

#endif  // TENON_KERN_FIXED_H
