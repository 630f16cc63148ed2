// kern/num/round.h - rounding, and division of floats that rounds.
#ifndef TENON_KERN_ROUND_H
#define TENON_KERN_ROUND_H

#include <math.h>

#include "kern/num/half.h"
#include "kern/num/real64.h"

// To the nearest integer, halves to the even one, whatever the machine's mode.
TENON_INLINE float tenon_round_f32(float x) {
  const float magic = 8388608.0f;
  const float a = fabsf(x);
  return a < magic ? copysignf((a + magic) - magic, x) : x;
}
TENON_INLINE double tenon_round_f64(double x) {
  const double magic = 4503599627370496.0;
  const double a = fabs(x);
  return a < magic ? copysign((a + magic) - magic, x) : x;
}

// What is left of x when y is taken off a whole number of times, with the sign
// of y.
TENON_INLINE double tenon_floor_rest_f64(double x, double y) {
  double r = fmod(x, y);
  return r != 0.0 && (y < 0.0) != (r < 0.0) ? r + y : r;
}
TENON_INLINE float tenon_floor_rest_f32(float x, float y) {
  float r = fmodf(x, y);
  return r != 0.0f && (y < 0.0f) != (r < 0.0f) ? r + y : r;
}

// floor(x / y) of the quotient that is not rounded, as Python has it; x / y
// where y is zero.
TENON_INLINE double tenon_floor_quotient_f64(double x, double y) {
  double r, q, whole;
  if (y == 0.0) return x / y;
  r = fmod(x, y);
  q = (x - r) / y;
  if (r != 0.0 && (y < 0.0) != (r < 0.0)) q -= 1.0;
  if (q == 0.0) return copysign(0.0, x / y);
  whole = floor(q);
  return q - whole > 0.5 ? whole + 1.0 : whole;
}
TENON_INLINE float tenon_floor_quotient_f32(float x, float y) {
  float r, q, whole;
  if (y == 0.0f) return x / y;
  r = fmodf(x, y);
  q = (x - r) / y;
  if (r != 0.0f && (y < 0.0f) != (r < 0.0f)) q -= 1.0f;
  if (q == 0.0f) return copysignf(0.0f, x / y);
  whole = floorf(q);
  return q - whole > 0.5f ? whole + 1.0f : whole;
}

// The float beside x on the way to y.
TENON_INLINE float tenon_next_f32(float x, float y) {
  uint32_t bits = tenon_bits_of_f32(x);
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0.0f)
    return tenon_f32_of_bits((tenon_bits_of_f32(y) & 0x80000000u) | 1u);
  return tenon_f32_of_bits((x < y) == (x > 0.0f) ? bits + 1 : bits - 1);
}
TENON_INLINE double tenon_next_f64(double x, double y) {
  uint64_t bits = tenon_bits_of_f64(x);
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0.0)
    return tenon_f64_of_bits((tenon_bits_of_f64(y) >> 63 << 63) | 1u);
  return tenon_f64_of_bits((x < y) == (x > 0.0) ? bits + 1 : bits - 1);
}

// The same for the bits of a 16-bit float; x and y differ.
TENON_INLINE uint16_t tenon_next_half(uint16_t x, uint16_t y, bool is_up) {
  const bool is_negative = x >> 15;
  if ((x & 0x7fffu) == 0) return (uint16_t)((y & 0x8000u) | 1u);
  return (uint16_t)(is_up != is_negative ? x + 1 : x - 1);
}

#endif  // TENON_KERN_ROUND_H
