// kern/isa/x86/width_avx512.h - bytes of a register, for kern/opt/vectors.h.
//
// A file of its own, because an emitted text is preceded by all that it
// includes.
#ifndef TENON_KERN_ISA_X86_WIDTH_AVX512_H
#define TENON_KERN_ISA_X86_WIDTH_AVX512_H

#if !defined(__AVX512F__) || !defined(__AVX512BW__) || \
    !defined(__AVX512VL__) || !defined(__AVX512DQ__)
#error "this kernel needs -mavx512f -mavx512bw -mavx512vl -mavx512dq"
#endif

#define TENON_VB 64
#define TENON_REGISTER "v"  // as assembler names them
#define TENON_HAS_PART 1
#define TENON_HAS_CLAMP 1

#endif  // TENON_KERN_ISA_X86_WIDTH_AVX512_H
