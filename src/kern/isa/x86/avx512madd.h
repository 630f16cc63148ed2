// kern/isa/x86/avx512madd.h - integer dot products with AVX-512 BW: pairs of
// 16-bit numbers.
#ifndef TENON_KERN_ISA_X86_AVX512MADD_H
#define TENON_KERN_ISA_X86_AVX512MADD_H

#include "kern/isa/x86/bytes_avx512.h"

#define TENON_DOT_GROUP 2

typedef int8_t tenon_x86_b32 __attribute__((vector_size(32)));
typedef int16_t tenon_x86_h __attribute__((vector_size(64)));

// A byte to half a lane.
TENON_FLAT tenon_vi tenon_vi_widen2(const int8_t *p) {
  tenon_x86_b32 x;
  memcpy(&x, p, 32);
  return (tenon_vi) __builtin_convertvector(x, tenon_x86_h);
}

// acc + the two products of 16-bit numbers in each lane: cheaper than a
// product of 32 bits.
#define TENON_HAS_MADD 1
TENON_FLAT tenon_vi tenon_vi_dot(tenon_vi acc, tenon_vi a, tenon_vi b) {
#if TENON_HAS_BUILTIN(__builtin_ia32_pmaddwd512_mask)
  return tenon_vi_add(
      acc, (tenon_vi)__builtin_ia32_pmaddwd512_mask(
               (tenon_x86_h)a, (tenon_x86_h)b, (tenon_vi){0}, 0xffff));
#elif TENON_HAS_BUILTIN(__builtin_ia32_pmaddwd512)
  return tenon_vi_add(
      acc, (tenon_vi)__builtin_ia32_pmaddwd512((tenon_x86_h)a, (tenon_x86_h)b));
#else
  return tenon_vi_dot_plain(acc, a, b);
#endif
}

#endif  // TENON_KERN_ISA_X86_AVX512MADD_H
