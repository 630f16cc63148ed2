// conv_any_s8_mve.c - quantised convolution of any channels: as conv_s8_mve.c,
// but sums are shifted to the left first, and what is not shifted to the right
// is not one less.
#include "kern/isa/arm/conv_mve.h"

#define CONV_ANY_S8_MVE_FIRST \
  "vldrw.32 q0, [r9], #16\n"  \
  "vldrw.32 q1, [r9], #16\n"  \
  "vldrw.32 q2, [r9], #16\n"  \
  "vadd.i32 q4, q4, q0\n"     \
  "vadd.i32 q5, q5, q0\n"     \
  "vadd.i32 q6, q6, q0\n"     \
  "vldrw.32 q0, [r9], #16\n"  \
  "vshl.u32 q4, q4, q0\n"     \
  "vqrdmulh.s32 q4, q4, q1\n" \
  "vshl.u32 q5, q5, q0\n"     \
  "vqrdmulh.s32 q5, q5, q1\n" \
  "vshl.u32 q6, q6, q0\n"     \
  "vqrdmulh.s32 q6, q6, q1\n"
// The sign of a shift not to the right is that of no number.
#define CONV_ANY_S8_MVE_SIGN(v) \
  "vand q0, " v                 \
  ", q2\n"                      \
  "vshr.s32 q0, q0, #31\n"

TENON_ASM void conv_any_s8_mve_pixels(TENON_ARG const int8_t *w,
                                      TENON_ARG const int32_t *table,
                                      TENON_ARG const tenon_conv_mve_job *job,
                                      TENON_ARG int8_t *y,
                                      TENON_ARG int32_t fours) {
  __asm__(
      TENON_CONV_MVE_PIXELS(CONV_ANY_S8_MVE_FIRST, CONV_ANY_S8_MVE_SIGN, "q2"));
}

TENON_KERNEL_RANGE(tenon_k_conv_any_s8_mve) {
  return tenon_conv_mve(c, begin, end, 64, conv_any_s8_mve_pixels);
}
