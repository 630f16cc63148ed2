// fully_connected_f32s8_avx2.c - product of floats with quantised weights, with
// AVX2.
#include "kern/isa/x86/avx2.h"
//
#include "kern/opt/fully_connected_f32s8_opt.h"

TENON_KERNEL_RANGE(tenon_k_fully_connected_f32s8_avx2) {
  return tenon_fully_connected_f32s8_run(c, begin, end);
}
