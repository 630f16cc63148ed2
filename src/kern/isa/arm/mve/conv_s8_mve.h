// kern/isa/arm/mve/conv_s8_mve.h - three pixels and four channels at a time, of
// channels that are plain (arm_packed.h).
#ifndef TENON_KERN_ISA_ARM_CONV_S8_MVE_H
#define TENON_KERN_ISA_ARM_CONV_S8_MVE_H

#include "kern/isa/arm/mve/conv_mve.h"

// The first rounding of two; for the second, which takes ties up, what is
// negative is one less.
#define TENON_CONV_S8_MVE_FIRST \
  "vldrw.32 q0, [r9], #16\n"    \
  "vldrw.32 q1, [r9], #16\n"    \
  "vldrw.32 q2, [r9], #16\n"    \
  "vadd.i32 q4, q4, q0\n"       \
  "vqrdmulh.s32 q4, q4, q1\n"   \
  "vadd.i32 q5, q5, q0\n"       \
  "vqrdmulh.s32 q5, q5, q1\n"   \
  "vadd.i32 q6, q6, q0\n"       \
  "vqrdmulh.s32 q6, q6, q1\n"
#define TENON_CONV_S8_MVE_SIGN(v) "vshr.s32 q0, " v ", #31\n"

TENON_ASM void tenon_conv_s8_mve_pixels(TENON_ARG const int8_t *w,
                                        TENON_ARG const int32_t *table,
                                        TENON_ARG const tenon_conv_mve_job *job,
                                        TENON_ARG int8_t *y,
                                        TENON_ARG int32_t fours) {
  __asm__(TENON_CONV_MVE_PIXELS(TENON_CONV_S8_MVE_FIRST, TENON_CONV_S8_MVE_SIGN,
                                "q2"));
}

#endif  // TENON_KERN_ISA_ARM_CONV_S8_MVE_H
