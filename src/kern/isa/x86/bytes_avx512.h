// kern/isa/x86/bytes_avx512.h - sums to bytes with 512-bit registers: lanes
// narrowed by saturation, and conversions between floats and integers.
#ifndef TENON_KERN_ISA_X86_BYTES_AVX512_H
#define TENON_KERN_ISA_X86_BYTES_AVX512_H

#include "kern/isa/x86/avx512.h"

typedef char tenon_x86_b64 __attribute__((vector_size(64)));
typedef short tenon_x86_h32 __attribute__((vector_size(64)));

// Lanes saturated to 16 bits: four of each, and so on.
#if TENON_HAS_BUILTIN(__builtin_ia32_packssdw512_mask)
#define TENON_HAS_NARROW4 1
TENON_FLAT tenon_x86_h32 tenon_x86_pack2(tenon_vi a, tenon_vi b) {
  return __builtin_ia32_packssdw512_mask(a, b, (tenon_x86_h32){0}, 0xffffffff);
}
#elif TENON_HAS_BUILTIN(__builtin_ia32_packssdw512)
#define TENON_HAS_NARROW4 1
TENON_FLAT tenon_x86_h32 tenon_x86_pack2(tenon_vi a, tenon_vi b) {
  return __builtin_ia32_packssdw512(a, b);
}
#endif
#ifdef TENON_HAS_NARROW4
// To 8 bits.
TENON_FLAT tenon_vi tenon_vi_pack4(tenon_vi a, tenon_vi b, tenon_vi c,
                                   tenon_vi d) {
  const tenon_x86_h32 ab = tenon_x86_pack2(a, b), cd = tenon_x86_pack2(c, d);
#if TENON_HAS_BUILTIN(__builtin_ia32_packsswb512_mask)
  return (tenon_vi)__builtin_ia32_packsswb512_mask(ab, cd, (tenon_x86_b64){0},
                                                   0xffffffffffffffff);
#else
  return (tenon_vi)__builtin_ia32_packsswb512(ab, cd);
#endif
}
// To bytes without a sign.
#if TENON_HAS_BUILTIN(__builtin_ia32_packuswb512_mask)
#define TENON_HAS_NARROW4_UP 1
TENON_FLAT tenon_vi tenon_vi_pack4_up(tenon_vi a, tenon_vi b, tenon_vi c,
                                      tenon_vi d) {
  return (tenon_vi)__builtin_ia32_packuswb512_mask(
      tenon_x86_pack2(a, b), tenon_x86_pack2(c, d), (tenon_x86_b64){0},
      0xffffffffffffffff);
}
#elif TENON_HAS_BUILTIN(__builtin_ia32_packuswb512)
#define TENON_HAS_NARROW4_UP 1
TENON_FLAT tenon_vi tenon_vi_pack4_up(tenon_vi a, tenon_vi b, tenon_vi c,
                                      tenon_vi d) {
  return (tenon_vi)__builtin_ia32_packuswb512(tenon_x86_pack2(a, b),
                                              tenon_x86_pack2(c, d));
}
#endif
// Sixteen of a, then of b, c and d.
TENON_FLAT tenon_vi tenon_vi_in_turn(tenon_vi packed) {
  const tenon_vi order = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
#if TENON_HAS_BUILTIN(__builtin_ia32_permvarsi512_mask)
  return __builtin_ia32_permvarsi512_mask(packed, order, packed, 0xffff);
#else
  return __builtin_ia32_permvarsi512(packed, order);
#endif
}
TENON_FLAT tenon_vi tenon_vi_narrow4(tenon_vi a, tenon_vi b, tenon_vi c,
                                     tenon_vi d) {
  return tenon_vi_in_turn(tenon_vi_pack4(a, b, c, d));
}
#ifdef TENON_HAS_NARROW4_UP
TENON_FLAT tenon_vi tenon_vi_narrow4_up(tenon_vi a, tenon_vi b, tenon_vi c,
                                        tenon_vi d) {
  return tenon_vi_in_turn(tenon_vi_pack4_up(a, b, c, d));
}
#endif
#if TENON_HAS_BUILTIN(__builtin_ia32_pmaxsb512_mask)
#define TENON_HAS_BYTE_LIMIT 1
TENON_FLAT tenon_vs tenon_vs_limit(tenon_vs x, tenon_vs lo, tenon_vs hi) {
  const tenon_x86_b64 none = {0};
  return (tenon_vs)__builtin_ia32_pminsb512_mask(
      __builtin_ia32_pmaxsb512_mask((tenon_x86_b64)x, (tenon_x86_b64)lo, none,
                                    0xffffffffffffffff),
      (tenon_x86_b64)hi, none, 0xffffffffffffffff);
}
#endif
#endif

// Floats of integers, and back: to the nearest, ties to even.
#define TENON_HAS_NEAR 1
TENON_FLAT tenon_vf tenon_vf_of_vi(tenon_vi x) {
  return __builtin_convertvector(x, tenon_vf);
}
TENON_FLAT tenon_vi tenon_vi_nearest(tenon_vf x) {
  return __builtin_ia32_cvtps2dq512_mask(x, (tenon_vi){0}, TENON_X86_ALL, 4);
}
// The floor of x * factor + first, which is not rounded.
#define TENON_HAS_FLOOR 1
TENON_FLAT tenon_vi tenon_vi_floor_fma(tenon_vf x, tenon_vf factor,
                                       tenon_vf first) {
#ifdef __clang__
  const tenon_vf y =
      __builtin_ia32_vfmaddps512_mask(x, factor, first, 0xffff, 9);
#else
  const tenon_vf y = __builtin_ia32_vfmaddps512_mask(x, factor, first, -1, 9);
#endif
  return __builtin_ia32_cvtps2dq512_mask(y, (tenon_vi){0}, TENON_X86_ALL, 9);
}
// `below` where x is less than `split`, else `above`: compilers take three
// operations to choose.
TENON_FLAT tenon_vf tenon_vf_by_side(tenon_vi x, tenon_vi split, tenon_vf below,
                                     tenon_vf above) {
#if TENON_HAS_BUILTIN(__builtin_ia32_blendmps_512_mask)
  return __builtin_ia32_blendmps_512_mask(
      above, below, (uint16_t)__builtin_ia32_cmpd512_mask(x, split, 1, 0xffff));
#else
  return (tenon_vf)tenon_vi_pick(x < split, (tenon_vi)below, (tenon_vi)above);
#endif
}
// The larger of `most` and of how far x is from the nearest integer.
TENON_FLAT tenon_vf tenon_vf_further(tenon_vf most, tenon_vf x,
                                     tenon_vi nearest) {
#if TENON_HAS_BUILTIN(__builtin_ia32_reduceps512_mask_round)
  (void)nearest;
  const tenon_vf rest =
      __builtin_ia32_reduceps512_mask_round(x, 8, (tenon_vf){0}, 0xffff, 8);
#else
  const tenon_vf rest = x - tenon_vf_of_vi(nearest);
#endif
  return __builtin_ia32_rangeps512_mask(most, rest, 11, rest, TENON_X86_ALL, 4);
}
// Whether any lane is above.
TENON_FLAT bool tenon_vf_any_above(tenon_vf x, float least) {
  return __builtin_ia32_cmpps512_mask(x, tenon_vf_splat(least), 30, 0xffff,
                                      4) != 0;
}

// Bytes, and pairs of them, of a and b in turns: those of the lower and of the
// upper half of each 128 bits.
#if TENON_HAS_BUILTIN(__builtin_ia32_punpcklbw512_mask)
#define TENON_HAS_UNPACK 1
#define TENON_X86_UNPACK(name, builtin, type, mask)              \
  TENON_FLAT tenon_vi name(tenon_vi a, tenon_vi b) {             \
    return (tenon_vi)builtin((type)a, (type)b, (type){0}, mask); \
  }
TENON_X86_UNPACK(tenon_vi_bytes_low, __builtin_ia32_punpcklbw512_mask,
                 tenon_x86_b64, 0xffffffffffffffff)
TENON_X86_UNPACK(tenon_vi_bytes_high, __builtin_ia32_punpckhbw512_mask,
                 tenon_x86_b64, 0xffffffffffffffff)
TENON_X86_UNPACK(tenon_vi_pairs_low, __builtin_ia32_punpcklwd512_mask,
                 tenon_x86_h32, 0xffffffff)
TENON_X86_UNPACK(tenon_vi_pairs_high, __builtin_ia32_punpckhwd512_mask,
                 tenon_x86_h32, 0xffffffff)
#undef TENON_X86_UNPACK
#elif TENON_HAS_BUILTIN(__builtin_shufflevector)
#define TENON_HAS_UNPACK 1
#define TENON_X86_8(f, at)                                                 \
  f(at), f(at + 1), f(at + 2), f(at + 3), f(at + 4), f(at + 5), f(at + 6), \
      f(at + 7)
#define TENON_X86_BYTES(i) (i), (i) + 64
#define TENON_X86_PAIRS(i) (i), (i) + 32
#define TENON_X86_4(f, at) f(at), f(at + 1), f(at + 2), f(at + 3)
TENON_FLAT tenon_vi tenon_vi_bytes_low(tenon_vi a, tenon_vi b) {
  return (tenon_vi)__builtin_shufflevector(
      (tenon_x86_b64)a, (tenon_x86_b64)b, TENON_X86_8(TENON_X86_BYTES, 0),
      TENON_X86_8(TENON_X86_BYTES, 16), TENON_X86_8(TENON_X86_BYTES, 32),
      TENON_X86_8(TENON_X86_BYTES, 48));
}
TENON_FLAT tenon_vi tenon_vi_bytes_high(tenon_vi a, tenon_vi b) {
  return (tenon_vi)__builtin_shufflevector(
      (tenon_x86_b64)a, (tenon_x86_b64)b, TENON_X86_8(TENON_X86_BYTES, 8),
      TENON_X86_8(TENON_X86_BYTES, 24), TENON_X86_8(TENON_X86_BYTES, 40),
      TENON_X86_8(TENON_X86_BYTES, 56));
}
TENON_FLAT tenon_vi tenon_vi_pairs_low(tenon_vi a, tenon_vi b) {
  return (tenon_vi)__builtin_shufflevector(
      (tenon_x86_h32)a, (tenon_x86_h32)b, TENON_X86_4(TENON_X86_PAIRS, 0),
      TENON_X86_4(TENON_X86_PAIRS, 8), TENON_X86_4(TENON_X86_PAIRS, 16),
      TENON_X86_4(TENON_X86_PAIRS, 24));
}
TENON_FLAT tenon_vi tenon_vi_pairs_high(tenon_vi a, tenon_vi b) {
  return (tenon_vi)__builtin_shufflevector(
      (tenon_x86_h32)a, (tenon_x86_h32)b, TENON_X86_4(TENON_X86_PAIRS, 4),
      TENON_X86_4(TENON_X86_PAIRS, 12), TENON_X86_4(TENON_X86_PAIRS, 20),
      TENON_X86_4(TENON_X86_PAIRS, 28));
}
#undef TENON_X86_8
#undef TENON_X86_4
#undef TENON_X86_BYTES
#undef TENON_X86_PAIRS
#endif

#endif  // TENON_KERN_ISA_X86_BYTES_AVX512_H
