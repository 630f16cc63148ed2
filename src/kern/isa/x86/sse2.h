// kern/isa/x86/sse2.h - 128-bit registers of any 64-bit x86, and what vector
// types cannot say.
//
// There is no fused multiply-add, so it is computed: the product of two floats
// is exact in double, the sum with the third is rounded there to odd (what the
// rounding lost is found with Knuth's TwoSum and leaves its mark in the last
// bit), and rounding that to float gives the correctly rounded result, since a
// double has more than two bits to spare, also where the result is subnormal.
// Infinities and NaN pass through: their error term is a NaN, which compares
// with nothing. Twenty instructions for two lanes, and still many times faster
// than a call of fmaf.
#ifndef TENON_KERN_ISA_X86_SSE2_H
#define TENON_KERN_ISA_X86_SSE2_H

#include "kern/isa/x86/width_sse2.h"
//
#include "kern/opt/vectors.h"

#define TENON_HAS_WIDE_LANES 0

#define TENON_DOT_GROUP 2

typedef float tenon_x86_f2 __attribute__((vector_size(8)));
typedef double tenon_x86_d __attribute__((vector_size(16)));
typedef int64_t tenon_x86_q __attribute__((vector_size(16)));
typedef char tenon_x86_b __attribute__((vector_size(16)));
typedef int16_t tenon_x86_h __attribute__((vector_size(16)));

// Halves are moved as a whole: where lanes were taken one by one, gcc 12 put
// them together again into wrong code.
TENON_FLAT tenon_x86_d tenon_x86_widen(tenon_vf x, const int half) {
#if TENON_HAS_BUILTIN(__builtin_ia32_cvtps2pd)
  return __builtin_ia32_cvtps2pd(half ? __builtin_ia32_movhlps(x, x) : x);
#else
  tenon_x86_f2 part;
  memcpy(&part, (const char *)&x + 8 * half, 8);
  return __builtin_convertvector(part, tenon_x86_d);
#endif
}

TENON_FLAT tenon_vf tenon_x86_narrow(tenon_x86_d low, tenon_x86_d high) {
#if TENON_HAS_BUILTIN(__builtin_ia32_movlhps)
  return __builtin_ia32_movlhps(__builtin_ia32_cvtpd2ps(low),
                                __builtin_ia32_cvtpd2ps(high));
#else
  const tenon_x86_f2 part[2] = {__builtin_convertvector(low, tenon_x86_f2),
                                __builtin_convertvector(high, tenon_x86_f2)};
  tenon_vf r;
  memcpy(&r, part, 16);
  return r;
#endif
}

TENON_FLAT tenon_x86_d tenon_x86_fma_odd(tenon_x86_d a, tenon_x86_d b,
                                         tenon_x86_d c) {
  const tenon_x86_d product = a * b;
  const tenon_x86_d sum = product + c;
  const tenon_x86_d part = sum - product;
  const tenon_x86_d error = (product - (sum - part)) + (c - part);
  // An inexact even sum moves by one in its last bit, towards the exact one:
  // up in magnitude if error and sum have the same sign.
  const tenon_x86_q bits = (tenon_x86_q)sum;
  const tenon_x86_q is_even = (bits & 1) - 1;
  const tenon_x86_q is_inexact = (error < 0) | (error > 0);
  const tenon_x86_q is_smaller = (error < 0) ^ (sum < 0);
  const tenon_x86_q step = 1 - (is_smaller & 2);
  return (tenon_x86_d)(bits + (step & is_even & is_inexact));
}

TENON_FLAT tenon_vf tenon_vf_fma(tenon_vf a, tenon_vf b, tenon_vf c) {
  return tenon_x86_narrow(
      tenon_x86_fma_odd(tenon_x86_widen(a, 0), tenon_x86_widen(b, 0),
                        tenon_x86_widen(c, 0)),
      tenon_x86_fma_odd(tenon_x86_widen(a, 1), tenon_x86_widen(b, 1),
                        tenon_x86_widen(c, 1)));
}

// A byte to half a lane, from so many bytes at p.
TENON_FLAT tenon_vi tenon_vi_widen2(const int8_t *p) {
  int64_t bytes;
  memcpy(&bytes, p, 8);
  tenon_x86_b x = (tenon_x86_b)(tenon_x86_q){bytes, 0};
#if TENON_HAS_BUILTIN(__builtin_ia32_punpcklbw128)
  x = __builtin_ia32_punpcklbw128(x, x);
#else
  x = __builtin_shufflevector(x, x, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7,
                              7);
#endif
  return (tenon_vi)((tenon_x86_h)x >> 8);
}

// A byte to a lane.
TENON_FLAT tenon_vi tenon_vi_widen(const int8_t *p) {
  int32_t bytes;
  memcpy(&bytes, p, 4);
  tenon_x86_b x = (tenon_x86_b)(tenon_vi){bytes, 0, 0, 0};
#if TENON_HAS_BUILTIN(__builtin_ia32_punpcklbw128)
  x = __builtin_ia32_punpcklbw128(x, x);
  x = (tenon_x86_b)__builtin_ia32_punpcklwd128((tenon_x86_h)x, (tenon_x86_h)x);
#else
  x = __builtin_shufflevector(x, x, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3,
                              3);
#endif
  return (tenon_vi)x >> 24;
}

// acc + the two products of 16-bit numbers in each lane: cheaper than a
// product of 32 bits.
#define TENON_HAS_MADD 1
TENON_FLAT tenon_vi tenon_vi_dot(tenon_vi acc, tenon_vi a, tenon_vi b) {
#if TENON_HAS_BUILTIN(__builtin_ia32_pmaddwd128)
  return tenon_vi_add(
      acc, (tenon_vi)__builtin_ia32_pmaddwd128((tenon_x86_h)a, (tenon_x86_h)b));
#else
  return tenon_vi_dot_plain(acc, a, b);
#endif
}

// Whether a lane is -1, where others are 0.
#if TENON_HAS_BUILTIN(__builtin_ia32_movmskps)
#define TENON_HAS_ANY 1
TENON_FLAT bool tenon_vi_any(tenon_vi mask) {
  return __builtin_ia32_movmskps((tenon_vf)mask) != 0;
}
#endif

#if TENON_HAS_BUILTIN(__builtin_ia32_sqrtps)
#define TENON_HAS_SQRT 1
TENON_FLAT tenon_vf tenon_vf_sqrt(tenon_vf x) {
  return __builtin_ia32_sqrtps(x);
}
#endif

#endif  // TENON_KERN_ISA_X86_SSE2_H
