// kern/power.h - powers, divisors and shifts of integers, as PyTorch has them.
#ifndef TENON_KERN_POWER_H
#define TENON_KERN_POWER_H

#include "tenon/base.h"

// Wraps.
TENON_INLINE uint64_t tenon_power_u64(uint64_t x, uint64_t y) {
  uint64_t r = 1;
  for (; y; y >>= 1, x *= x)
    r *= y & 1 ? x : 1;
  return r;
}

// What is no integer (a negative power of another than 1 and -1) is 0.
TENON_INLINE int64_t tenon_power_s64(int64_t x, int64_t y) {
  if (y < 0) {
    if (x == -1) return y % 2 ? -1 : 1;
    return x == 1;
  }
  return (int64_t)tenon_power_u64((uint64_t)x, (uint64_t)y);
}

// The largest number that divides both, and the smallest that both divide.
TENON_INLINE uint64_t tenon_gcd_u64(uint64_t x, uint64_t y) {
  while (y) {
    const uint64_t rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}
TENON_INLINE uint64_t tenon_lcm_u64(uint64_t x, uint64_t y) {
  return x && y ? x / tenon_gcd_u64(x, y) * y : 0;
}
TENON_INLINE uint64_t tenon_size_of_s64(int64_t x) {
  return x < 0 ? UINT64_C(0) - (uint64_t)x : (uint64_t)x;
}
TENON_INLINE int64_t tenon_gcd_s64(int64_t x, int64_t y) {
  return (int64_t)tenon_gcd_u64(tenon_size_of_s64(x), tenon_size_of_s64(y));
}
TENON_INLINE int64_t tenon_lcm_s64(int64_t x, int64_t y) {
  return (int64_t)tenon_lcm_u64(tenon_size_of_s64(x), tenon_size_of_s64(y));
}

// A distance that is negative or not below the width shifts everything out.
TENON_INLINE uint64_t tenon_shift_left(uint64_t x, uint64_t y, uint32_t width) {
  return y < width ? x << y : 0;
}
TENON_INLINE uint64_t tenon_shift_right_u64(uint64_t x, uint64_t y,
                                            uint32_t width) {
  return y < width ? x >> y : 0;
}
TENON_INLINE int64_t tenon_shift_right_s64(int64_t x, uint64_t y,
                                           uint32_t width) {
  uint64_t n = y < width ? y : width - 1;
  return x < 0 ? (int64_t) ~(~(uint64_t)x >> n) : (int64_t)((uint64_t)x >> n);
}

#endif  // TENON_KERN_POWER_H
