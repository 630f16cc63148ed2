// conv_s8_sse2.c - core::conv on int8 with SSE2.
#include "kern/isa/x86/sse2.h"
//
#include "kern/opt/conv_s8_opt.h"

TENON_KERNEL_RANGE(tenon_k_conv_s8_sse2) {
  return tenon_conv_s8_run(c, begin, end);
}
