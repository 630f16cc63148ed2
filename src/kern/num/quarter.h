// kern/num/quarter.h - 8-bit floats to f32 and back: they are stored, never
// computed with.
//
// Four kinds have a sign, exponent and fraction and differ in how many bits
// each has, in the bias, and in which patterns are no numbers; the fifth is a
// power of two. Rounding is to nearest, ties to even.
#ifndef TENON_KERN_QUARTER_H
#define TENON_KERN_QUARTER_H

#include <math.h>

#include "kern/num/half.h"
#include "tenon/tensor.h"

typedef struct tenon_f8_kind {
  int32_t fraction;  // bits
  int32_t bias;
  bool has_infinity;
  bool is_uz;     // negative zero is the only NaN
  uint32_t most;  // the largest number
} tenon_f8_kind;

TENON_INLINE tenon_f8_kind tenon_f8_kind_of(tenon_dtype dtype) {
  static const tenon_f8_kind kinds[4] = {{3, 7, false, false, 0x7e},
                                         {2, 15, true, false, 0x7b},
                                         {3, 8, false, true, 0x7f},
                                         {2, 16, false, true, 0x7f}};
  return kinds[dtype == TENON_F8E4M3FN     ? 0
               : dtype == TENON_F8E5M2     ? 1
               : dtype == TENON_F8E4M3FNUZ ? 2
                                           : 3];
}

TENON_INLINE float tenon_f32_of_f8(uint8_t bits, tenon_dtype dtype) {
  const float nan = tenon_f32_of_bits(0x7fc00000u);
  const tenon_f8_kind k = tenon_f8_kind_of(dtype);
  uint32_t rest = bits & 0x7fu, exponent, fraction;
  float value;
  if (dtype == TENON_F8E8M0FNU) {
    if (bits == 0xff) return nan;
    return bits ? tenon_f32_of_bits((uint32_t)bits << 23)
                : tenon_f32_of_bits(0x00400000u);
  }
  if (k.is_uz && bits == 0x80) return nan;
  if (!k.is_uz && rest > k.most) {
    if (!k.has_infinity || rest > 0x7cu) return nan;
    return tenon_f32_of_bits(bits & 0x80u ? 0xff800000u : 0x7f800000u);
  }
  exponent = rest >> k.fraction;
  fraction = rest & ((1u << k.fraction) - 1);
  if (exponent)
    value = ldexpf((float)(fraction | 1u << k.fraction),
                   (int)exponent - k.bias - k.fraction);
  else
    value = ldexpf((float)fraction, 1 - k.bias - k.fraction);
  return bits & 0x80u ? -value : value;
}

// A power of two: the upper half of the way rounds up.
TENON_INLINE uint8_t tenon_f8e8m0_of_f32(float value) {
  const uint32_t bits = tenon_bits_of_f32(value);
  const uint32_t exponent = bits >> 23 & 0xffu;
  const bool guard = bits >> 22 & 1u, sticky = (bits & 0x3fffffu) != 0;
  if (exponent == 0xff) return 0xff;
  return (uint8_t)(exponent + (guard && (exponent > 0 || sticky)));
}

TENON_INLINE uint8_t tenon_f8_of_f32(float value, tenon_dtype dtype) {
  const tenon_f8_kind k = tenon_f8_kind_of(dtype);
  const uint32_t bits = tenon_bits_of_f32(value);
  const uint8_t sign = (uint8_t)(bits >> 24 & 0x80u);
  const float a = fabsf(value);
  uint32_t kept;
  int32_t exponent;
  float unit;
  if (dtype == TENON_F8E8M0FNU) return tenon_f8e8m0_of_f32(value);
  if (value != value) return k.is_uz ? 0x80 : (uint8_t)(sign | 0x7f);
  // In units of the last place, which subnormals have all alike.
  exponent = (int32_t)(bits >> 23 & 0xffu) - 127;
  if (exponent < 1 - k.bias) exponent = 1 - k.bias;
  if (exponent < 120) {
    unit = ldexpf(a, k.fraction - exponent);
    kept = (uint32_t)unit;
    unit -= (float)kept;
    kept += unit > 0.5f || (unit == 0.5f && (kept & 1u));
    kept += (uint32_t)(exponent + k.bias - 1) << k.fraction;
  } else {
    kept = 0xffu;
  }
  if (kept > k.most) {
    if (k.is_uz) return 0x80;
    return (uint8_t)(sign | (k.has_infinity ? 0x7c : k.most));
  }
  if (kept == 0 && k.is_uz) return 0;
  return (uint8_t)(sign | kept);
}

#endif  // TENON_KERN_QUARTER_H
