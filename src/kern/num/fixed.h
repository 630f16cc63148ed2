// kern/num/fixed.h - the integer arithmetic of quantised operators.
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
//   double the product in double, halves away from zero: fully-connected with
//          16-bit operands, and what no factor of 31 bits gives. A factor is
//          the two halves of its bits then, `mult` the lower one
//   long   the same of sums of 32 bits by a factor of 63 bits, rounded once,
//          where it has been proven to be so (tenon_core_factor_long)
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

// round((double)x * factor), without doubles, which most microcontrollers lack;
// `high` and `low` are the halves of the factor's bits, which is 0 or within
// 2^-64 and 2^30. Beyond 32 bits it saturates.
TENON_INLINE int32_t tenon_requant_double(int64_t x, int32_t low,
                                          int32_t high) {
  if (high == 0) return 0;
  const int32_t below = 1075 - (high >> 20);  // bits of the product below 1
  const uint64_t size = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
  const uint64_t a = size >> 48 ? UINT64_C(1) << 48 : size;
  const uint32_t b = ((uint32_t)high & 0xFFFFFu) | 0x100000u;
  // The product is p[1] * 2^64 + p[0].
  const uint64_t lowest = (a & 0xFFFFFFFFu) * (uint32_t)low;
  const uint64_t mid =
      (a & 0xFFFFFFFFu) * b + (a >> 32) * (uint32_t)low + (lowest >> 32);
  uint64_t p[2] = {mid << 32 | (lowest & 0xFFFFFFFFu),
                   (a >> 32) * b + (mid >> 32)};
  // Half, and half of what a double of 53 bits drops: no more than that lacks
  // where it rounds a product up to the middle of two integers.
  int32_t bits[2] = {below - 1, 0};
  for (uint64_t rest = p[1] ? p[1] << 11 | p[0] >> 53 : p[0] >> 53; rest;
       rest >>= 1)
    ++bits[1];
  for (int32_t i = 0; i < 2; ++i) {
    if (i && bits[i]-- == 0) break;
    const uint64_t one = UINT64_C(1) << (bits[i] & 63);
    if (bits[i] < 64) {
      p[0] += one;
      p[1] += p[0] < one;
    } else {
      p[1] += one;
    }
  }
  uint64_t y = p[1] >> (below & 63);
  if (below < 64) y = y ? INT32_MAX : p[1] << (64 - below) | p[0] >> below;
  if (y > INT32_MAX) y = INT32_MAX;
  return x < 0 ? -(int32_t)y : (int32_t)y;
}

// Once, by a factor that is no double.
TENON_INLINE int32_t tenon_requant_integer(int32_t x, int32_t mult,
                                           int32_t shift) {
  int32_t right = 31 - shift;
  int64_t half = INT64_C(1) << (right - 1);
  return tenon_saturate_s32(((int64_t)x * mult + half) >> right);
}

TENON_INLINE int32_t tenon_requant_once(int32_t x, int32_t mult,
                                        int32_t shift) {
  return shift > 31 ? tenon_requant_double(x, mult, shift)
                    : tenon_requant_integer(x, mult, shift);
}

// x * (high * 2^32 + low) * 2^(shift - 63), rounded with ties up, for a factor
// in [2^62, 2^63) and shifts below -1: the upper word of the product has all
// that is rounded.
TENON_INLINE int32_t tenon_requant_long(int32_t x, int32_t high, int32_t low,
                                        int32_t shift) {
  const int32_t rest = (int32_t)(((int64_t)x * low) >> 32);
  const int32_t y = (int32_t)(((int64_t)x * high + rest) >> 32);
  return ((y >> (-2 - shift)) + 1) >> 1;
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
