// kern/isa/aarch64/width_neon.h - bytes of a register, for kern/opt/vectors.h.
//
// A file of its own, because an emitted text is preceded by all that it
// includes.
#ifndef TENON_KERN_ISA_AARCH64_WIDTH_NEON_H
#define TENON_KERN_ISA_AARCH64_WIDTH_NEON_H

#if !defined(__aarch64__) || !defined(__ARM_NEON) || defined(__AARCH64EB__)
#error "this kernel needs 64-bit Arm with NEON, the lowest byte first"
#endif

#define TENON_VB 16
#define TENON_REGISTERS 32
#define TENON_REGISTER "w"  // as assembler names them

#endif  // TENON_KERN_ISA_AARCH64_WIDTH_NEON_H
