// base/size.c - the one product that does not fit a line.
//
// Compilers with the builtin turn it into a multiplication and a jump on the
// overflow flag. The other branch divides, by the signs of the two: dividing is
// the only test that cannot itself overflow, but for the least integer by -1,
// which no branch below does.
#include "base/size.h"

#if defined(__GNUC__)

bool tenon_int_mul(int64_t a, int64_t b, int64_t *out) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return false;
  *out = product;
  return true;
}

#else

bool tenon_int_mul(int64_t a, int64_t b, int64_t *out) {
  bool fits = true;
  if (a > 0 && b > 0) {
    fits = a <= INT64_MAX / b;
  } else if (a > 0 && b < 0) {
    fits = b >= INT64_MIN / a;
  } else if (a < 0 && b > 0) {
    fits = a >= INT64_MIN / b;
  } else if (a < 0 && b < 0) {
    fits = b >= INT64_MAX / a;
  }
  if (!fits) return false;
  *out = a * b;
  return true;
}

#endif
