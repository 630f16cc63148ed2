// kern/isa/x86/avx2.h - 256-bit registers, and what vector types cannot say:
// the fused multiply-add, sums of two products of 16-bit numbers, products of
// every other lane, and packing with saturation.
//
// Builtins, not <immintrin.h>: emitted C prints no header but the freestanding
// ones. Each has been in gcc and clang for years; where a compiler has retired
// one, the plain form beside it is what it recognises instead.
#ifndef TENON_KERN_ISA_X86_AVX2_H
#define TENON_KERN_ISA_X86_AVX2_H

#include "kern/isa/x86/width_avx2.h"
//
#include "kern/opt/vectors.h"

// There are tenon_vi_mul_even, tenon_vi_zip, and shifts by lane.
#define TENON_HAS_WIDE_LANES 1

#define TENON_DOT_GROUP 2

typedef int16_t tenon_x86_h __attribute__((vector_size(32)));
typedef char tenon_x86_b16 __attribute__((vector_size(16)));
typedef int64_t tenon_x86_half __attribute__((vector_size(16)));
typedef int64_t tenon_x86_q __attribute__((vector_size(32)));

#define TENON_HAS_FMA 1
TENON_FLAT tenon_vf tenon_vf_fma(tenon_vf a, tenon_vf b, tenon_vf c) {
#if TENON_HAS_BUILTIN(__builtin_elementwise_fma)
  return __builtin_elementwise_fma(a, b, c);
#else
  return __builtin_ia32_vfmaddps256(a, b, c);
#endif
}

// The instructions give their second operand where none is larger or smaller,
// or one is a NaN.
#define TENON_HAS_ENDS 1
TENON_FLAT tenon_vf tenon_vf_at_least(tenon_vf x, tenon_vf lo) {
#if TENON_HAS_BUILTIN(__builtin_ia32_maxps256)
  return __builtin_ia32_maxps256(lo, x);
#else
  return tenon_vf_pick(x < lo, lo, x);
#endif
}
TENON_FLAT tenon_vf tenon_vf_at_most(tenon_vf x, tenon_vf hi) {
#if TENON_HAS_BUILTIN(__builtin_ia32_minps256)
  return __builtin_ia32_minps256(hi, x);
#else
  return tenon_vf_pick(x > hi, hi, x);
#endif
}
TENON_FLAT tenon_vf tenon_vf_clamp(tenon_vf x, tenon_vf lo, tenon_vf hi) {
  return tenon_vf_at_most(tenon_vf_at_least(x, lo), hi);
}

// Whether a lane is -1, where others are 0.
#define TENON_HAS_ANY 1
TENON_FLAT bool tenon_vi_any(tenon_vi mask) {
  return __builtin_ia32_movmskps256((tenon_vf)mask) != 0;
}

// table[i % 16] for each lane i, of 32 bits each: by three bits in each half of
// the table, then the half by the fourth.
#if TENON_HAS_BUILTIN(__builtin_ia32_permvarsf256) && \
    TENON_HAS_BUILTIN(__builtin_ia32_blendvps256)
#define TENON_HAS_TABLE 1
TENON_FLAT tenon_vf tenon_vf_table(const void *table, tenon_vi i) {
  const float *from = (const float *)table;
  return __builtin_ia32_blendvps256(
      __builtin_ia32_permvarsf256(tenon_vf_load(from), i),
      __builtin_ia32_permvarsf256(tenon_vf_load(from + 8), i),
      (tenon_vf)tenon_vi_shift(i, 28));
}
#endif

// The 32 bits from number i of 16 bits on, for each lane.
#if TENON_HAS_BUILTIN(__builtin_ia32_gathersiv8si) || \
    TENON_HAS_BUILTIN(__builtin_ia32_gatherd_d256)
#define TENON_HAS_PAIRS 1
TENON_FLAT tenon_vi tenon_vi_pairs(const void *words, tenon_vi i) {
  const tenon_vi all = {-1, -1, -1, -1, -1, -1, -1, -1};
#ifdef __clang__
  return __builtin_ia32_gatherd_d256(all, (const int *)words, i, all, 2);
#else
  return __builtin_ia32_gathersiv8si(all, (const int *)words, i, all, 2);
#endif
}
#endif

// acc + the two products of 16-bit numbers in each lane: cheaper than a
// product of 32 bits.
#define TENON_HAS_MADD 1
TENON_FLAT tenon_vi tenon_vi_dot(tenon_vi acc, tenon_vi a, tenon_vi b) {
#if TENON_HAS_BUILTIN(__builtin_ia32_pmaddwd256)
  return tenon_vi_add(
      acc, (tenon_vi)__builtin_ia32_pmaddwd256((tenon_x86_h)a, (tenon_x86_h)b));
#else
  return tenon_vi_dot_plain(acc, a, b);
#endif
}

// The signed 64-bit products of lanes 0, 2, 4 ...
TENON_FLAT tenon_vq tenon_vi_mul_even(tenon_vi a, tenon_vi b) {
#if TENON_HAS_BUILTIN(__builtin_ia32_pmuldq256)
  return (tenon_vq)__builtin_ia32_pmuldq256(a, b);
#else
  return (tenon_vq)(((tenon_x86_q)a << 32 >> 32) *
                    ((tenon_x86_q)b << 32 >> 32));
#endif
}

// A byte to a lane, from so many bytes at p.
TENON_FLAT tenon_vi tenon_vi_widen(const int8_t *p) {
#if TENON_HAS_BUILTIN(__builtin_ia32_pmovsxbd256)
  tenon_x86_half x = {0};
  int64_t bytes;
  memcpy(&bytes, p, 8);
  x[0] = bytes;
  return __builtin_ia32_pmovsxbd256((tenon_x86_b16)x);
#else
  return __builtin_convertvector(*(const tenon_vb_at *)p, tenon_vi);
#endif
}

// A byte to half a lane.
TENON_FLAT tenon_vi tenon_vi_widen2(const int8_t *p) {
  tenon_x86_b16 x;
  memcpy(&x, p, 16);
  return (tenon_vi) __builtin_convertvector(x, tenon_x86_h);
}

// Even lanes of a, odd lanes of b.
TENON_FLAT tenon_vi tenon_vi_zip(tenon_vi a, tenon_vi b) {
#if TENON_HAS_BUILTIN(__builtin_ia32_pblendd256)
  return __builtin_ia32_pblendd256(a, b, 0xaa);
#else
  return __builtin_shufflevector(a, b, 0, 9, 2, 11, 4, 13, 6, 15);
#endif
}

// Lanes saturated to 8 bits: eight of a, then of b, c and d.
#if TENON_HAS_BUILTIN(__builtin_ia32_packssdw256)
#define TENON_HAS_NARROW4 1
TENON_FLAT tenon_vi tenon_vi_narrow4(tenon_vi a, tenon_vi b, tenon_vi c,
                                     tenon_vi d) {
  const tenon_vi order = {0, 4, 1, 5, 2, 6, 3, 7};
  tenon_vi packed = (tenon_vi)__builtin_ia32_packsswb256(
      __builtin_ia32_packssdw256(a, b), __builtin_ia32_packssdw256(c, d));
  return __builtin_ia32_permvarsi256(packed, order);
}
#endif

// Floats of integers, and back: to the nearest, ties to even.
#if TENON_HAS_BUILTIN(__builtin_ia32_cvtps2dq256) && \
    TENON_HAS_BUILTIN(__builtin_ia32_maxps256)
#define TENON_HAS_NEAR 1
TENON_FLAT tenon_vf tenon_vf_of_vi(tenon_vi x) {
  return __builtin_convertvector(x, tenon_vf);
}
TENON_FLAT tenon_vi tenon_vi_nearest(tenon_vf x) {
  return __builtin_ia32_cvtps2dq256(x);
}
// The larger of `most` and of how far x is from the nearest integer.
TENON_FLAT tenon_vf tenon_vf_further(tenon_vf most, tenon_vf x,
                                     tenon_vi nearest) {
  const tenon_vf rest = x - tenon_vf_of_vi(nearest);
  return __builtin_ia32_maxps256(most, (tenon_vf)((tenon_vi)rest & INT32_MAX));
}
// Whether any lane is above.
TENON_FLAT bool tenon_vf_any_above(tenon_vf x, float least) {
  return __builtin_ia32_movmskps256((tenon_vf)(x > tenon_vf_splat(least))) != 0;
}
#endif

#if TENON_HAS_BUILTIN(__builtin_ia32_sqrtps256)
#define TENON_HAS_SQRT 1
TENON_FLAT tenon_vf tenon_vf_sqrt(tenon_vf x) {
  return __builtin_ia32_sqrtps256(x);
}
#endif

#endif  // TENON_KERN_ISA_X86_AVX2_H
