// fully_connected_s8_avx2.c - core::fully_connected on int8 with AVX2.
#include "kern/isa/x86/avx2.h"
//
#include "kern/opt/fully_connected_s8_opt.h"

TENON_KERNEL_RANGE(tenon_k_fully_connected_s8_avx2) {
  return tenon_fully_connected_s8_run(c, begin, end);
}
