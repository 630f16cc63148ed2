// conv_s8_avx2.c - core::conv on int8 with AVX2.
#include "kern/isa/x86/avx2.h"
//
#include "kern/opt/conv_s8_opt.h"

TENON_KERNEL_RANGE(tenon_k_conv_s8_avx2) {
  return tenon_conv_s8_run(c, begin, end);
}
