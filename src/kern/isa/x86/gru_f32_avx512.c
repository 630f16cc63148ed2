// gru_f32_avx512.c - a layer of GRU in floats, with AVX-512.
#include "kern/isa/x86/avx512.h"
//
#include "kern/opt/recurrent_f32_opt.h"

TENON_KERNEL_RANGE(tenon_k_gru_f32_avx512) {
  return tenon_gru_f32_run(c, begin, end);
}
