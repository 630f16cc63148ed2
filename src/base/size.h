// base/size.h - size arithmetic that says when it overflows.
//
// Each returns false on overflow and leaves *out alone. All sizes that come
// from a file, and all products of dimensions, go through here.
#ifndef TENON_BASE_SIZE_H
#define TENON_BASE_SIZE_H

#include "tenon/base.h"

TENON_INLINE bool tenon_size_add(size_t a, size_t b, size_t *out) {
  if (a > SIZE_MAX - b) return false;
  *out = a + b;
  return true;
}
TENON_INLINE bool tenon_size_mul(size_t a, size_t b, size_t *out) {
  if (b != 0 && a > SIZE_MAX / b) return false;
  *out = a * b;
  return true;
}
// The next multiple of `align`, a power of two.
TENON_INLINE bool tenon_size_align(size_t a, size_t align, size_t *out) {
  size_t up = 0;
  if (!tenon_size_add(a, align - 1, &up)) return false;
  *out = up & ~(align - 1);
  return true;
}
// The same where it cannot overflow, of any `align` above 0.
TENON_INLINE size_t tenon_size_up(size_t a, size_t align) {
  return (a + align - 1) / align * align;
}
// The greatest common divisor; 0 divides nothing, and everything divides it.
TENON_INLINE uint64_t tenon_size_gcd(uint64_t a, uint64_t b) {
  while (b) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}
TENON_INLINE bool tenon_int_add(int64_t a, int64_t b, int64_t *out) {
  if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return false;
  *out = a + b;
  return true;
}
bool tenon_int_mul(int64_t a, int64_t b, int64_t *out);

#endif  // TENON_BASE_SIZE_H
