// fully_connected_s8_avx512vnni.c - core::fully_connected on int8 with AVX-512
// VNNI.
#include "kern/isa/x86/avx512vnni.h"
//
#include "kern/opt/fully_connected_s8_opt.h"

TENON_KERNEL_RANGE(tenon_k_fully_connected_s8_avx512vnni) {
  return tenon_fully_connected_s8_run(c, begin, end);
}
