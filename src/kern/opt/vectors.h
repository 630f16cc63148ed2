// kern/opt/vectors.h - vectors without intrinsics: one width per emitted file.
//
// An ISA header (kern/isa/x86/avx2.h) says how wide a register is, includes
// this, and adds the few steps that vector types cannot say; it comes before
// anything else in kern/opt/, so that the bodies there are written once. One
// translation unit has one width: an emitted file is for one target.
//
// Learnt by measuring: arrays of vectors stay in registers when every index is
// a constant after unrolling and no branch makes the address of one of them
// escape (a partial store inside a tile halved its speed), so edges go through
// a whole spare tile. C has no ?: on vectors; tenon_vf_pick is a compare and a
// blend.
#ifndef TENON_KERN_OPT_VECTORS_H
#define TENON_KERN_OPT_VECTORS_H

#include <string.h>

#include "kern/opt/tiles/packed.h"

#ifndef TENON_VB
#error "include a header of kern/isa/ before those of kern/opt/"
#endif

#define TENON_VL (TENON_VB / 4)             // 32-bit lanes
#define TENON_VPP (TENON_LANES / TENON_VL)  // vectors in a panel

typedef float tenon_vf __attribute__((vector_size(TENON_VB)));
typedef int32_t tenon_vi __attribute__((vector_size(TENON_VB)));
typedef uint64_t tenon_vq __attribute__((vector_size(TENON_VB)));
typedef uint32_t tenon_vu __attribute__((vector_size(TENON_VB)));
typedef int8_t tenon_vs __attribute__((vector_size(TENON_VB)));
typedef int8_t tenon_vb __attribute__((vector_size(TENON_VL)));
typedef float tenon_vf_at
    __attribute__((vector_size(TENON_VB), aligned(4), may_alias));
typedef int32_t tenon_vi_at
    __attribute__((vector_size(TENON_VB), aligned(1), may_alias));
typedef int8_t tenon_vb_at
    __attribute__((vector_size(TENON_VL), aligned(1), may_alias));

#if defined(__has_builtin)
#define TENON_HAS_BUILTIN(name) __has_builtin(name)
#elif defined(__clang__)
#define TENON_HAS_BUILTIN(name) 0
#else
#define TENON_HAS_BUILTIN(name) TENON_HAS_##name  // gcc before 10
#endif

#define TENON_FLAT static inline __attribute__((always_inline, unused))
#define TENON_APART static __attribute__((noinline, unused))
// gcc reorders long sums so that all terms are there before the first addition,
// and then has no registers for them; this ends a sum for it.
#if defined(__clang__) || !defined(TENON_REGISTER)
#define TENON_SETTLE(x) ((void)(x))
#define TENON_SETTLE_BOTH(x, y) ((void)(x), (void)(y))
#else
#define TENON_SETTLE(x) __asm__("" : "+" TENON_REGISTER(x))
// What needs x needs y, too: so that a branch by x is not taken before.
#define TENON_SETTLE_BOTH(x, y) \
  __asm__("" : "+" TENON_REGISTER(x), "+" TENON_REGISTER(y))
#endif
// Of a pointer that goes on from row to row gcc keeps what it is in each of
// them, in memory where there are no registers, and reads that for each store.
#if defined(__clang__)
#define TENON_SETTLE_POINTER(p) ((void)(p))
#else
#define TENON_SETTLE_POINTER(p) __asm__("" : "+r"(p))
#endif
#ifdef __clang__
#define TENON_UNROLL _Pragma("clang loop unroll(full)")
#else
#define TENON_UNROLL _Pragma("GCC unroll 32")
#endif

TENON_FLAT tenon_vf tenon_vf_load(const float *p) {
  return *(const tenon_vf_at *)p;
}
TENON_FLAT void tenon_vf_store(float *p, tenon_vf x) {
  *(tenon_vf_at *)p = x;
}
// The first n lanes, which may be all. The others are loaded as zeros and not
// stored. An instruction set with masks has its own (TENON_HAS_PART, which its
// width's header defines); others go through memory.
TENON_FLAT tenon_vf tenon_vf_load_part_plain(const float *p, ptrdiff_t n) {
  float lanes[TENON_VL] = {0};
  if (n >= TENON_VL) return tenon_vf_load(p);
  memcpy(lanes, p, (size_t)n * sizeof *p);
  return tenon_vf_load(lanes);
}
TENON_FLAT void tenon_vf_store_part_plain(float *p, tenon_vf x, ptrdiff_t n) {
  float lanes[TENON_VL];
  if (n >= TENON_VL) {
    tenon_vf_store(p, x);
    return;
  }
  tenon_vf_store(lanes, x);
  memcpy(p, lanes, (size_t)n * sizeof *p);
}
#ifndef TENON_HAS_PART
TENON_FLAT tenon_vf tenon_vf_load_part(const float *p, ptrdiff_t n) {
  return tenon_vf_load_part_plain(p, n);
}
TENON_FLAT void tenon_vf_store_part(float *p, tenon_vf x, ptrdiff_t n) {
  tenon_vf_store_part_plain(p, x, n);
}
#endif
TENON_FLAT tenon_vf tenon_vf_splat(float x) {
  return x - (tenon_vf){0};  // not +, which would make -0 a 0
}
TENON_FLAT tenon_vf tenon_vf_pick(tenon_vi mask, tenon_vf a, tenon_vf b) {
  return (tenon_vf)(((tenon_vi)a & mask) | ((tenon_vi)b & ~mask));
}
// As the reference kernels clamp: a NaN passes through. Two instructions where
// the instruction set has them and says so (TENON_HAS_CLAMP).
TENON_FLAT tenon_vf tenon_vf_clamp_plain(tenon_vf x, tenon_vf lo, tenon_vf hi) {
  x = tenon_vf_pick(x < lo, lo, x);
  return tenon_vf_pick(x > hi, hi, x);
}
#ifndef TENON_HAS_CLAMP
TENON_FLAT tenon_vf tenon_vf_clamp(tenon_vf x, tenon_vf lo, tenon_vf hi) {
  return tenon_vf_clamp_plain(x, lo, hi);
}
#endif

TENON_FLAT tenon_vi tenon_vi_load(const void *p) {
  return *(const tenon_vi_at *)p;
}
TENON_FLAT void tenon_vi_store(void *p, tenon_vi x) {
  *(tenon_vi_at *)p = x;
}
TENON_FLAT tenon_vi tenon_vi_splat(int32_t x) {
  return x - (tenon_vi){0};
}
// Sums and left shifts modulo 2^32.
TENON_FLAT tenon_vi tenon_vi_add(tenon_vi a, tenon_vi b) {
  return (tenon_vi)((tenon_vu)a + (tenon_vu)b);
}
TENON_FLAT tenon_vi tenon_vi_shift(tenon_vi a, const int left) {
  return (tenon_vi)((tenon_vu)a << left);
}
TENON_FLAT tenon_vi tenon_vi_pick(tenon_vi mask, tenon_vi a, tenon_vi b) {
  return (a & mask) | (b & ~mask);
}

// acc + the two products of 16-bit numbers in each lane, for a compiler that
// recognises it.
TENON_FLAT tenon_vi tenon_vi_dot_plain(tenon_vi acc, tenon_vi a, tenon_vi b) {
  const tenon_vi low =
      (tenon_vi_shift(a, 16) >> 16) * (tenon_vi_shift(b, 16) >> 16);
  return tenon_vi_add(tenon_vi_add(acc, low), (a >> 16) * (b >> 16));
}

#endif  // TENON_KERN_OPT_VECTORS_H
