// kern/isa/x86/avx512vnni.h - integer dot products with AVX-512 VNNI: four
// products of an unsigned and a signed byte. Activations are stored offset by
// 128, for which the packed bias makes up.
#ifndef TENON_KERN_ISA_X86_AVX512VNNI_H
#define TENON_KERN_ISA_X86_AVX512VNNI_H

#ifndef __AVX512VNNI__
#error "this kernel needs -mavx512vnni"
#endif

#include "kern/isa/x86/bytes_avx512.h"

#define TENON_DOT_GROUP 4

// acc + the four products of unsigned bytes of a and signed bytes of b.
TENON_FLAT tenon_vi tenon_vi_dot(tenon_vi acc, tenon_vi a, tenon_vi b) {
#ifdef __clang__
  return __builtin_ia32_vpdpbusd512(acc, a, b);
#else
  return __builtin_ia32_vpdpbusd_v16si(acc, a, b);
#endif
}

// acc + the two products of words.
TENON_FLAT tenon_vi tenon_vi_dot_words(tenon_vi acc, tenon_vi a, tenon_vi b) {
#ifdef __clang__
  return __builtin_ia32_vpdpwssd512(acc, a, b);
#else
  return __builtin_ia32_vpdpwssd_v16si(acc, a, b);
#endif
}

#ifdef TENON_HAS_UNPACK
#define TENON_HAS_SUM_DOT 1
// Upper words of a and b in turns.
TENON_FLAT tenon_x86_h32 tenon_vi_uppers(tenon_vi a, tenon_vi b) {
  const tenon_vi low = (tenon_vi)((tenon_vu)a >> 16);
#if TENON_HAS_BUILTIN(__builtin_ia32_blendmw_512_mask)
  return __builtin_ia32_blendmw_512_mask((tenon_x86_h32)low, (tenon_x86_h32)b,
                                         0xaaaaaaaa);
#else
  return (tenon_x86_h32)(low | (b & tenon_vi_splat(-65536)));
#endif
}
// Words, shifted to the right, as bytes: eight of a, eight of b, and so on.
TENON_FLAT tenon_vs tenon_vi_shift_bytes(tenon_x86_h32 a, tenon_x86_h32 b,
                                         int right) {
  a >>= right;
  b >>= right;
#if TENON_HAS_BUILTIN(__builtin_ia32_packsswb512_mask)
  return (tenon_vs)__builtin_ia32_packsswb512_mask(a, b, (tenon_x86_b64){0},
                                                   0xffffffffffffffff);
#else
  return (tenon_vs)__builtin_ia32_packsswb512(a, b);
#endif
}
#endif

#endif  // TENON_KERN_ISA_X86_AVX512VNNI_H
