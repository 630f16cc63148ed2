// kern/num/half.h - 16-bit floats, f16 and bf16, to f32 and back.
//
// They are stored, never computed with: a kernel loads to f32, computes, and
// rounds once at the store, to nearest with ties to even. Bits only, so that
// every compiler and every machine agrees, with or without such a type.
#ifndef TENON_KERN_HALF_H
#define TENON_KERN_HALF_H

#include "tenon/base.h"

TENON_INLINE float tenon_f32_of_bits(uint32_t bits) {
  union {
    uint32_t bits;
    float value;
  } u;
  u.bits = bits;
  return u.value;
}

TENON_INLINE uint32_t tenon_bits_of_f32(float value) {
  union {
    uint32_t bits;
    float value;
  } u;
  u.value = value;
  return u.bits;
}

TENON_INLINE float tenon_f32_of_f16(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
  uint32_t exponent = (h >> 10) & 0x1fu, fraction = h & 0x3ffu;
  if (exponent == 0x1f)
    return tenon_f32_of_bits(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0)
    return tenon_f32_of_bits(sign | (exponent + 112) << 23 | fraction << 13);
  // A subnormal is a small integer in units of 2^-24: exact in f32.
  float value = (float)fraction * 5.9604644775390625e-8f;
  return sign ? -value : value;
}

TENON_INLINE uint16_t tenon_f16_of_f32(float value) {
  uint32_t bits = tenon_bits_of_f32(value);
  uint32_t sign = (bits >> 16) & 0x8000u;
  uint32_t rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u)  // NaN stays NaN, quiet
    return (uint16_t)(sign | 0x7e00u | ((rest >> 13) & 0x3ffu));
  if (rest >= 0x477ff000u)  // rounds to 65536 or more
    return (uint16_t)(sign | 0x7c00u);
  if (rest < 0x33000000u) return (uint16_t)sign;  // below half of 2^-24
  uint32_t exponent = rest >> 23;
  uint32_t fraction = (rest & 0x7fffffu) | 0x800000u;
  // Normal results drop 13 bits of the fraction, subnormal ones more.
  uint32_t drop = exponent >= 113 ? 13 : 126 - exponent;
  uint32_t kept = fraction >> drop;
  uint32_t lost = fraction & ((UINT32_C(1) << drop) - 1);
  uint32_t half = UINT32_C(1) << (drop - 1);
  kept += lost > half || (lost == half && (kept & 1u));
  // A carry out of the fraction runs into the exponent, as it should.
  uint32_t base = exponent >= 113 ? (exponent - 113) << 10 : 0;
  return (uint16_t)(sign | (base + kept));
}

TENON_INLINE float tenon_f32_of_bf16(uint16_t h) {
  return tenon_f32_of_bits((uint32_t)h << 16);
}

TENON_INLINE uint16_t tenon_bf16_of_f32(float value) {
  uint32_t bits = tenon_bits_of_f32(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return (uint16_t)((bits >> 16) | 0x40u);
  return (uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

#endif  // TENON_KERN_HALF_H
