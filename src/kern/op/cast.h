// kern/op/cast.h - attributes of core::cast and core::number, and numbers of
// any plain type.
//
// A number is loaded into the one of three carriers that holds all of its type
// exactly, then converted once. Between integers bits are dropped, as in C; a
// float outside an integer's range gives the nearest one, NaN gives 0, where C
// says nothing; or, with `wrap`, the low bits of what x86 converts it to (the
// least number where there is none). bool is "not zero".
#ifndef TENON_KERN_CAST_H
#define TENON_KERN_CAST_H

#include <math.h>

#include "kern/num/quarter.h"
#include "kern/op/clamp.h"
#include "tenon/tensor.h"

typedef struct tenon_cast_attrs {
  tenon_dtype dtype;
  bool wrap;
} tenon_cast_attrs;

typedef struct tenon_bitcast_attrs {
  tenon_dtype dtype;
} tenon_bitcast_attrs;

typedef struct tenon_number_attrs {
  tenon_scalar value;
  tenon_dtype dtype;
} tenon_number_attrs;

typedef struct tenon_number {
  double real;
  uint64_t bits;  // of an integer, extended to 64 bits
  bool is_real, is_signed;
} tenon_number;

TENON_INLINE tenon_number tenon_number_of_real(double x) {
  tenon_number n = {0.0, 0, true, true};
  n.real = x;
  return n;
}

TENON_INLINE tenon_number tenon_number_of_signed(int64_t x) {
  tenon_number n = {0.0, 0, false, true};
  n.bits = (uint64_t)x;
  return n;
}

TENON_INLINE tenon_number tenon_number_of_unsigned(uint64_t x) {
  tenon_number n = {0.0, 0, false, false};
  n.bits = x;
  return n;
}

TENON_INLINE tenon_number tenon_number_load(const void *data, tenon_dtype dtype,
                                            ptrdiff_t i) {
  switch (dtype) {
    case TENON_F32:
      return tenon_number_of_real((double)((const float *)data)[i]);
    case TENON_F64:
      return tenon_number_of_real(((const double *)data)[i]);
    case TENON_F16:
      return tenon_number_of_real(
          (double)tenon_f32_of_f16(((const uint16_t *)data)[i]));
    case TENON_BF16:
      return tenon_number_of_real(
          (double)tenon_f32_of_bf16(((const uint16_t *)data)[i]));
    case TENON_F8E4M3FN:
    case TENON_F8E5M2:
    case TENON_F8E4M3FNUZ:
    case TENON_F8E5M2FNUZ:
    case TENON_F8E8M0FNU:
      return tenon_number_of_real(
          (double)tenon_f32_of_f8(((const uint8_t *)data)[i], dtype));
    case TENON_S8:
      return tenon_number_of_signed(((const int8_t *)data)[i]);
    case TENON_S16:
      return tenon_number_of_signed(((const int16_t *)data)[i]);
    case TENON_S32:
      return tenon_number_of_signed(((const int32_t *)data)[i]);
    case TENON_S64:
      return tenon_number_of_signed(((const int64_t *)data)[i]);
    case TENON_U16:
      return tenon_number_of_unsigned(((const uint16_t *)data)[i]);
    case TENON_U32:
      return tenon_number_of_unsigned(((const uint32_t *)data)[i]);
    case TENON_U64:
      return tenon_number_of_unsigned(((const uint64_t *)data)[i]);
    default:  // u8 and bool
      return tenon_number_of_unsigned(((const uint8_t *)data)[i]);
  }
}

TENON_INLINE double tenon_number_f64(tenon_number n) {
  if (n.is_real) return n.real;
  return n.is_signed ? (double)(int64_t)n.bits : (double)n.bits;
}

// Integers are rounded to f32 once, not by way of f64.
TENON_INLINE float tenon_number_f32(tenon_number n) {
  if (n.is_real) return (float)n.real;
  return n.is_signed ? (float)(int64_t)n.bits : (float)n.bits;
}

// The low `width` bits of the integer, the nearest one of a real number.
TENON_INLINE uint64_t tenon_number_bits(tenon_number n, bool is_signed,
                                        int32_t width) {
  double limit;
  if (!n.is_real) return n.bits;
  limit = ldexp(1.0, is_signed ? width - 1 : width);
  if (n.real != n.real) return 0;
  if (n.real >= limit)
    return is_signed ? ((uint64_t)1 << (width - 1)) - 1 : UINT64_MAX;
  if (!is_signed) return n.real > 0.0 ? (uint64_t)n.real : 0;
  if (n.real <= -limit) return (uint64_t)0 - ((uint64_t)1 << (width - 1));
  return (uint64_t)(int64_t)n.real;
}

TENON_INLINE void tenon_number_store(void *data, tenon_dtype dtype, ptrdiff_t i,
                                     tenon_number n) {
  switch (dtype) {
    case TENON_F32:
      ((float *)data)[i] = tenon_number_f32(n);
      break;
    case TENON_F64:
      ((double *)data)[i] = tenon_number_f64(n);
      break;
    case TENON_F16:
      ((uint16_t *)data)[i] = tenon_f16_of_f32(tenon_number_f32(n));
      break;
    case TENON_BF16:
      ((uint16_t *)data)[i] = tenon_bf16_of_f32(tenon_number_f32(n));
      break;
    case TENON_F8E4M3FN:
    case TENON_F8E5M2:
    case TENON_F8E4M3FNUZ:
    case TENON_F8E5M2FNUZ:
    case TENON_F8E8M0FNU:
      ((uint8_t *)data)[i] = tenon_f8_of_f32(tenon_number_f32(n), dtype);
      break;
    case TENON_S8:
      ((int8_t *)data)[i] = (int8_t)tenon_number_bits(n, true, 8);
      break;
    case TENON_S16:
      ((int16_t *)data)[i] = (int16_t)tenon_number_bits(n, true, 16);
      break;
    case TENON_S32:
      ((int32_t *)data)[i] = (int32_t)tenon_number_bits(n, true, 32);
      break;
    case TENON_S64:
      ((int64_t *)data)[i] = (int64_t)tenon_number_bits(n, true, 64);
      break;
    case TENON_U16:
      ((uint16_t *)data)[i] = (uint16_t)tenon_number_bits(n, false, 16);
      break;
    case TENON_U32:
      ((uint32_t *)data)[i] = (uint32_t)tenon_number_bits(n, false, 32);
      break;
    case TENON_U64:
      ((uint64_t *)data)[i] = tenon_number_bits(n, false, 64);
      break;
    case TENON_BOOL:
      ((uint8_t *)data)[i] = n.is_real ? n.real != 0.0 : n.bits != 0;
      break;
    default:  // u8
      ((uint8_t *)data)[i] = (uint8_t)tenon_number_bits(n, false, 8);
      break;
  }
}

// A real number as the integer whose low bits are stored: converted to s32 for
// types of up to 32 bits with a sign and for shorter ones, else to s64, or
// where it is too large for that to u64.
TENON_INLINE tenon_number tenon_number_wrap(tenon_number n, tenon_dtype dtype) {
  const bool is_wide =
      dtype == TENON_S64 || dtype == TENON_U64 || dtype == TENON_U32;
  const double limit = is_wide ? 9223372036854775808.0 : 2147483648.0;
  if (!n.is_real || dtype == TENON_BOOL) return n;
  if (dtype == TENON_U64 && n.real >= limit && n.real < 2.0 * limit)
    return tenon_number_of_unsigned((uint64_t)n.real);
  if (n.real > (is_wide ? -limit : -limit - 1.0) && n.real < limit)
    return tenon_number_of_signed((int64_t)n.real);
  return tenon_number_of_signed(is_wide ? INT64_MIN : INT32_MIN);
}

TENON_INLINE bool tenon_cast_is_integer(tenon_dtype dtype) {
  switch (dtype) {
    case TENON_S8:
    case TENON_S16:
    case TENON_S32:
    case TENON_S64:
    case TENON_U8:
    case TENON_U16:
    case TENON_U32:
    case TENON_U64:
      return true;
    default:
      return false;
  }
}

#endif  // TENON_KERN_CAST_H
