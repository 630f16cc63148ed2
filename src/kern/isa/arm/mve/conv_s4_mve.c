// conv_s4_mve.c - quantised convolution with weights that fit into 4 bits and
// lie in flash so: they are widened between loads and products. Bit for bit
// what conv_s8_ref.c computes.
#include "kern/isa/arm/mve/conv_any_mve.h"

TENON_ASM void conv_s4_mve_pixels(TENON_ARG const int8_t *w,
                                  TENON_ARG const int32_t *table,
                                  TENON_ARG const tenon_conv_mve_job *job,
                                  TENON_ARG int8_t *y,
                                  TENON_ARG int32_t fours) {
  __asm__(TENON_CONV_MVE_PIXELS_OF(TENON_CONV_MVE_CHUNK_NARROW, "52",
                                   TENON_CONV_ANY_MVE_FIRST,
                                   TENON_CONV_ANY_MVE_SIGN, "q2"));
}

TENON_KERNEL_RANGE(tenon_k_conv_s4_mve) {
  return tenon_conv_mve(c, begin, end, 64, conv_s4_mve_pixels);
}
