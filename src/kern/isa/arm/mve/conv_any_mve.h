// kern/isa/arm/mve/conv_any_mve.h - how sums of any channels are stored: they
// are shifted to the left first, and what is not shifted to the right is not
// one less.
#ifndef TENON_KERN_ISA_ARM_CONV_ANY_MVE_H
#define TENON_KERN_ISA_ARM_CONV_ANY_MVE_H

#include "kern/isa/arm/mve/conv_mve.h"

#define TENON_CONV_ANY_MVE_FIRST \
  "vldrw.32 q0, [r9], #16\n"     \
  "vldrw.32 q1, [r9], #16\n"     \
  "vldrw.32 q2, [r9], #16\n"     \
  "vadd.i32 q4, q4, q0\n"        \
  "vadd.i32 q5, q5, q0\n"        \
  "vadd.i32 q6, q6, q0\n"        \
  "vldrw.32 q0, [r9], #16\n"     \
  "vshl.u32 q4, q4, q0\n"        \
  "vqrdmulh.s32 q4, q4, q1\n"    \
  "vshl.u32 q5, q5, q0\n"        \
  "vqrdmulh.s32 q5, q5, q1\n"    \
  "vshl.u32 q6, q6, q0\n"        \
  "vqrdmulh.s32 q6, q6, q1\n"
// The sign of a shift not to the right is that of no number.
#define TENON_CONV_ANY_MVE_SIGN(v) \
  "vand q0, " v                    \
  ", q2\n"                         \
  "vshr.s32 q0, q0, #31\n"

// Defines the function `name`, all pixels of a row, and the kernel `kernel` of
// it, for weights that `chunk` takes in `bytes` of code.
#define TENON_CONV_ANY_MVE_KERNEL(kernel, name, chunk, bytes)                \
  TENON_ASM void name(TENON_ARG const int8_t *w,                             \
                      TENON_ARG const int32_t *table,                        \
                      TENON_ARG const tenon_conv_mve_job *job,               \
                      TENON_ARG int8_t *y, TENON_ARG int32_t fours) {        \
    __asm__(TENON_CONV_MVE_PIXELS_OF(chunk, bytes, TENON_CONV_ANY_MVE_FIRST, \
                                     TENON_CONV_ANY_MVE_SIGN, "q2"));        \
  }                                                                          \
  TENON_KERNEL_RANGE(kernel) {                                               \
    return tenon_conv_mve(c, begin, end, 64, name);                          \
  }

#endif  // TENON_KERN_ISA_ARM_CONV_ANY_MVE_H
