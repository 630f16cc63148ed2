// conv_s8_mve.c - quantised convolution of channels that are plain
// (arm_packed.h). Bit for bit what conv_s8_ref.c computes.
#include "kern/isa/arm/mve/conv_s8_mve.h"

TENON_KERNEL_RANGE(tenon_k_conv_s8_mve) {
  return tenon_conv_mve(c, begin, end, 48, tenon_conv_s8_mve_pixels);
}
