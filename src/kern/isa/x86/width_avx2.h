// kern/isa/x86/width_avx2.h - bytes of a register, for kern/opt/vectors.h.
//
// A file of its own, because an emitted text is preceded by all that it
// includes.
#ifndef TENON_KERN_ISA_X86_WIDTH_AVX2_H
#define TENON_KERN_ISA_X86_WIDTH_AVX2_H

#if !defined(__AVX2__) || !defined(__FMA__)
#error "this kernel needs -mavx2 -mfma"
#endif

#define TENON_VB 32
#define TENON_REGISTER "x"  // as assembler names them
#define TENON_HAS_CLAMP 1

#endif  // TENON_KERN_ISA_X86_WIDTH_AVX2_H
