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

#endif  // TENON_KERN_ISA_X86_AVX512VNNI_H
