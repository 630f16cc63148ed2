// conv_any_s8_mve.c - quantised convolution of any channels. Bit for bit what
// conv_s8_ref.c computes.
#include "kern/isa/arm/mve/conv_any_mve.h"

TENON_ASM void conv_any_s8_mve_pixels(TENON_ARG const int8_t *w,
                                      TENON_ARG const int32_t *table,
                                      TENON_ARG const tenon_conv_mve_job *job,
                                      TENON_ARG int8_t *y,
                                      TENON_ARG int32_t fours) {
  __asm__(TENON_CONV_MVE_PIXELS(TENON_CONV_ANY_MVE_FIRST,
                                TENON_CONV_ANY_MVE_SIGN, "q2"));
}

TENON_KERNEL_RANGE(tenon_k_conv_any_s8_mve) {
  return tenon_conv_mve(c, begin, end, 64, conv_any_s8_mve_pixels);
}
