// kern/isa/x86/width_sse2.h - bytes of a register, for kern/opt/vectors.h.
//
// A file of its own, because an emitted text is preceded by all that it
// includes.
#ifndef TENON_KERN_ISA_X86_WIDTH_SSE2_H
#define TENON_KERN_ISA_X86_WIDTH_SSE2_H

#if !defined(__SSE2__) || defined(__FAST_MATH__)
#error "this kernel needs -msse2 and no -ffast-math"
#endif

#define TENON_VB 16
#define TENON_REGISTER "x"  // as assembler names them

#endif  // TENON_KERN_ISA_X86_WIDTH_SSE2_H
