// kern/num/power.h - powers, divisors and shifts of integers, as PyTorch has
// them.
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

// The largest number that divides both, and the smallest that both divide, of
// integers of `width` bits. The least signed one has no size, and stays
// negative as in PyTorch.
TENON_INLINE uint64_t tenon_gcd_u64(uint64_t x, uint64_t y, uint32_t width) {
  (void)width;
  while (y) {
    const uint64_t rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}
TENON_INLINE uint64_t tenon_lcm_u64(uint64_t x, uint64_t y, uint32_t width) {
  return x && y ? x / tenon_gcd_u64(x, y, width) * y : 0;
}
TENON_INLINE int64_t tenon_size_of_s64(int64_t x, uint32_t width) {
  const int64_t least = -(INT64_C(1) << (width - 2)) * 2;
  return x < 0 && x != least ? -x : x;
}
// What divides by -1 leaves nothing, also the least number.
TENON_INLINE int64_t tenon_gcd_s64(int64_t x, int64_t y, uint32_t width) {
  x = tenon_size_of_s64(x, width);
  y = tenon_size_of_s64(y, width);
  while (x) {
    const int64_t rest = x == -1 ? 0 : y % x;
    y = x;
    x = rest;
  }
  return y;
}
// Less than 32 bits are multiplied in 32.
TENON_INLINE int64_t tenon_lcm_s64(int64_t x, int64_t y, uint32_t width) {
  const int64_t divisor = tenon_gcd_s64(x, y, width);
  if (divisor == 0) return 0;
  const uint64_t part =
      divisor == -1 ? UINT64_C(0) - (uint64_t)x : (uint64_t)(x / divisor);
  const uint64_t product = part * (uint64_t)y;
  if (width > 32) return tenon_size_of_s64((int64_t)product, width);
  return tenon_size_of_s64((int32_t)(uint32_t)product, 32);
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
