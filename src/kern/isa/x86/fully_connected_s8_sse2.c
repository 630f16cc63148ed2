// fully_connected_s8_sse2.c - core::fully_connected on int8 with SSE2.
#include "kern/isa/x86/sse2.h"
//
#include "kern/opt/fully_connected_s8_opt.h"

TENON_KERNEL_RANGE(tenon_k_fully_connected_s8_sse2) {
  return tenon_fully_connected_s8_run(c, begin, end);
}
