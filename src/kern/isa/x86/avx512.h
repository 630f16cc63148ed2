// kern/isa/x86/avx512.h - 512-bit registers, and what vector types cannot say,
// but for the integer dot product: avx512madd.h and avx512vnni.h have one
// each.
#ifndef TENON_KERN_ISA_X86_AVX512_H
#define TENON_KERN_ISA_X86_AVX512_H

#include "kern/isa/x86/width_avx512.h"
//
#include "kern/opt/vectors.h"

// There are tenon_vi_mul_even, tenon_vi_zip, and shifts by lane.
#define TENON_HAS_WIDE_LANES 1

typedef long long tenon_x86_q __attribute__((vector_size(64)));
typedef char tenon_x86_b16 __attribute__((vector_size(16)));

#define TENON_HAS_FMA 1
TENON_FLAT tenon_vf tenon_vf_fma(tenon_vf a, tenon_vf b, tenon_vf c) {
#if TENON_HAS_BUILTIN(__builtin_elementwise_fma)
  return __builtin_elementwise_fma(a, b, c);
#elif defined(__clang__)
  return __builtin_ia32_vfmaddps512_mask(a, b, c, 0xffff, 4);
#else
  return __builtin_ia32_vfmaddps512_mask(a, b, c, -1, 4);  // mask is signed
#endif
}

// Half of a register: its lower lanes, and what has them.
#if TENON_HAS_BUILTIN(__builtin_shufflevector)
#define TENON_HAS_HALF 1
typedef float tenon_half __attribute__((vector_size(32)));
typedef float tenon_half_at
    __attribute__((vector_size(32), aligned(4), may_alias));
TENON_FLAT tenon_half tenon_vf_half(tenon_vf x) {
  return __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7);
}
TENON_FLAT tenon_vf tenon_vf_of_half(tenon_half x) {
  return __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7, -1, -1, -1, -1,
                                 -1, -1, -1, -1);
}
TENON_FLAT tenon_half tenon_half_fma(tenon_half a, tenon_half b, tenon_half c) {
#if TENON_HAS_BUILTIN(__builtin_elementwise_fma)
  return __builtin_elementwise_fma(a, b, c);
#elif defined(__clang__)
  return __builtin_ia32_vfmaddps256(a, b, c);
#else
  return __builtin_ia32_vfmaddps256_mask(a, b, c, 0xff);
#endif
}
#endif

// The signed 64-bit products of lanes 0, 2, 4 ...
TENON_FLAT tenon_vq tenon_vi_mul_even(tenon_vi a, tenon_vi b) {
#if TENON_HAS_BUILTIN(__builtin_ia32_pmuldq512_mask)
  return (tenon_vq)__builtin_ia32_pmuldq512_mask(a, b, (tenon_x86_q){0}, 0xff);
#elif TENON_HAS_BUILTIN(__builtin_ia32_pmuldq512)
  return (tenon_vq)__builtin_ia32_pmuldq512(a, b);
#else
  return (tenon_vq)(((tenon_x86_q)a << 32 >> 32) *
                    ((tenon_x86_q)b << 32 >> 32));
#endif
}

// A byte to a lane, from so many bytes at p.
TENON_FLAT tenon_vi tenon_vi_widen(const int8_t *p) {
#if TENON_HAS_BUILTIN(__builtin_ia32_pmovsxbd512_mask)
  // gcc 12 converts lane by lane.
  tenon_x86_b16 x;
  memcpy(&x, p, 16);
  return __builtin_ia32_pmovsxbd512_mask(x, (tenon_vi){0}, 0xffff);
#else
  return __builtin_convertvector(*(const tenon_vb_at *)p, tenon_vi);
#endif
}

// The first n lanes.
TENON_FLAT uint16_t tenon_x86_lanes(ptrdiff_t n) {
  return (uint16_t)(n >= 16 ? 0xffffu : (1u << n) - 1u);
}
TENON_FLAT tenon_vf tenon_vf_load_part(const float *p, ptrdiff_t n) {
#if TENON_HAS_BUILTIN(__builtin_ia32_loadups512_mask)
  return __builtin_ia32_loadups512_mask(p, (tenon_vf){0}, tenon_x86_lanes(n));
#else
  return tenon_vf_load_part_plain(p, n);
#endif
}
TENON_FLAT void tenon_vf_store_part(float *p, tenon_vf x, ptrdiff_t n) {
#if TENON_HAS_BUILTIN(__builtin_ia32_storeups512_mask)
  __builtin_ia32_storeups512_mask(p, x, tenon_x86_lanes(n));
#else
  tenon_vf_store_part_plain(p, x, n);
#endif
}

// The instructions give their second operand where none is larger or smaller,
// or one is a NaN.
#define TENON_HAS_ENDS 1
TENON_FLAT tenon_vf tenon_vf_at_least(tenon_vf x, tenon_vf lo) {
#if TENON_HAS_BUILTIN(__builtin_ia32_maxps512_mask)
  return __builtin_ia32_maxps512_mask(lo, x, (tenon_vf){0}, -1, 4);  // signed
#elif TENON_HAS_BUILTIN(__builtin_ia32_maxps512)
  return __builtin_ia32_maxps512(lo, x, 4);
#else
  return tenon_vf_pick(x < lo, lo, x);
#endif
}
TENON_FLAT tenon_vf tenon_vf_at_most(tenon_vf x, tenon_vf hi) {
#if TENON_HAS_BUILTIN(__builtin_ia32_minps512_mask)
  return __builtin_ia32_minps512_mask(hi, x, (tenon_vf){0}, -1, 4);
#elif TENON_HAS_BUILTIN(__builtin_ia32_minps512)
  return __builtin_ia32_minps512(hi, x, 4);
#else
  return tenon_vf_pick(x > hi, hi, x);
#endif
}
TENON_FLAT tenon_vf tenon_vf_clamp(tenon_vf x, tenon_vf lo, tenon_vf hi) {
  return tenon_vf_at_most(tenon_vf_at_least(x, lo), hi);
}

// All lanes, for builtins whose masks gcc takes for signed.
#ifdef __clang__
#define TENON_X86_ALL 0xffff
#else
#define TENON_X86_ALL (-1)
#endif

// x limited to what is as far from zero as hi, and the less of |x| and least; a
// NaN may become hi and is not taken for the less, if it does not signal.
#if TENON_HAS_BUILTIN(__builtin_ia32_rangeps512_mask)
#define TENON_HAS_RANGE 1
TENON_FLAT tenon_vf tenon_vf_within(tenon_vf x, tenon_vf hi) {
  return __builtin_ia32_rangeps512_mask(x, hi, 2, x, TENON_X86_ALL, 4);
}
TENON_FLAT tenon_vf tenon_vf_less(tenon_vf x, tenon_vf least) {
  return __builtin_ia32_rangeps512_mask(x, least, 10, x, TENON_X86_ALL, 4);
}
#endif

// Floats of 16 bits: what kern/opt/each/half_opt.h has in steps, but that a NaN
// that signals does not when it is loaded.
#if TENON_HAS_BUILTIN(__builtin_ia32_vcvtph2ps512_mask) && \
    TENON_HAS_BUILTIN(__builtin_ia32_vcvtps2ph512_mask)
#define TENON_HAS_F16 1
typedef short tenon_x86_h16 __attribute__((vector_size(32)));
TENON_FLAT tenon_vf tenon_vf_load_f16(const uint16_t *p) {
  tenon_x86_h16 h;
  memcpy(&h, p, sizeof h);
  return __builtin_ia32_vcvtph2ps512_mask(h, (tenon_vf){0}, TENON_X86_ALL, 4);
}
TENON_FLAT void tenon_vf_store_f16(uint16_t *p, tenon_vf x) {
  const tenon_x86_h16 h = __builtin_ia32_vcvtps2ph512_mask(
      x, 0, (tenon_x86_h16){0}, 0xffff);  // 0: to the nearest
  memcpy(p, &h, sizeof h);
}
#endif

#if TENON_HAS_BUILTIN(__builtin_ia32_sqrtps512_mask)
#define TENON_HAS_SQRT 1
TENON_FLAT tenon_vf tenon_vf_sqrt(tenon_vf x) {
  return __builtin_ia32_sqrtps512_mask(x, (tenon_vf){0}, TENON_X86_ALL, 4);
}
#elif TENON_HAS_BUILTIN(__builtin_ia32_sqrtps512)
#define TENON_HAS_SQRT 1
TENON_FLAT tenon_vf tenon_vf_sqrt(tenon_vf x) {
  return __builtin_ia32_sqrtps512(x, 4);
}
#endif

// y 2^k, rounded once.
#if TENON_HAS_BUILTIN(__builtin_ia32_scalefps512_mask)
#define TENON_HAS_SCALE 1
TENON_FLAT tenon_vf tenon_vf_scale(tenon_vf y, tenon_vi k) {
  return __builtin_ia32_scalefps512_mask(
      y, __builtin_convertvector(k, tenon_vf), (tenon_vf){0}, TENON_X86_ALL, 4);
}
#endif

// Whether a lane is -1, where others are 0.
#define TENON_HAS_ANY 1
TENON_FLAT bool tenon_vi_any(tenon_vi mask) {
  return __builtin_ia32_cvtd2mask512(mask) != 0;
}

// Whether a lane of x has one of these bits.
#if TENON_HAS_BUILTIN(__builtin_ia32_ptestmd512)
#define TENON_HAS_BITS 1
TENON_FLAT bool tenon_vi_has(tenon_vi x, tenon_vi bits) {
  return __builtin_ia32_ptestmd512(x, bits, 0xffff) != 0;
}
#endif

// table[i % 16] for each lane i.
#if TENON_HAS_BUILTIN(__builtin_ia32_permvarsf512_mask)
#define TENON_HAS_LOOKUP 1
TENON_FLAT tenon_vf tenon_vf_lookup(tenon_vf table, tenon_vi i) {
  return __builtin_ia32_permvarsf512_mask(table, i, table, 0xffff);
}
#elif TENON_HAS_BUILTIN(__builtin_ia32_permvarsf512)
#define TENON_HAS_LOOKUP 1
TENON_FLAT tenon_vf tenon_vf_lookup(tenon_vf table, tenon_vi i) {
  return __builtin_ia32_permvarsf512(table, i);
}
#endif

#ifdef TENON_HAS_LOOKUP
#define TENON_HAS_TABLE 1
TENON_FLAT tenon_vf tenon_vf_table(const void *table, tenon_vi i) {
  return tenon_vf_lookup(tenon_vf_load((const float *)table), i);
}
#endif

// The 32 bits from number i of 16 bits on, for each lane.
#if TENON_HAS_BUILTIN(__builtin_ia32_gathersiv16si)
#define TENON_HAS_PAIRS 1
TENON_FLAT tenon_vi tenon_vi_pairs(const void *words, tenon_vi i) {
  return __builtin_ia32_gathersiv16si((tenon_vi){0}, (const int *)words, i,
                                      TENON_X86_ALL, 2);
}
#endif

// Even lanes of a, odd lanes of b.
TENON_FLAT tenon_vi tenon_vi_zip(tenon_vi a, tenon_vi b) {
  const tenon_vi odd = (tenon_vi)(~(tenon_vq){0} << 32);
  return (a & ~odd) | (b & odd);  // one ternary instruction
}

// x limited to what lies between, in two instructions where compilers make a
// mask and choose by it. Only with builtins that the compiler is known to have.
#if TENON_HAS_BUILTIN(__builtin_elementwise_max)
#define TENON_HAS_LIMIT 1
TENON_FLAT tenon_vi tenon_vi_limit(tenon_vi x, tenon_vi lo, tenon_vi hi) {
  return __builtin_elementwise_min(__builtin_elementwise_max(x, lo), hi);
}
#elif TENON_HAS_BUILTIN(__builtin_ia32_pmaxsd512_mask)
#define TENON_HAS_LIMIT 1
TENON_FLAT tenon_vi tenon_vi_limit(tenon_vi x, tenon_vi lo, tenon_vi hi) {
  const tenon_vi zero = {0};
  return __builtin_ia32_pminsd512_mask(
      __builtin_ia32_pmaxsd512_mask(x, lo, zero, 0xffff), hi, zero, 0xffff);
}
#endif

#endif  // TENON_KERN_ISA_X86_AVX512_H
