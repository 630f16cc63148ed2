// rnn_f32_avx512.c - a layer without gates, in floats, with AVX-512.
#include "kern/isa/x86/avx512.h"
//
#include "kern/opt/recurrent_f32_opt.h"

TENON_KERNEL_RANGE(tenon_k_rnn_f32_avx512) {
  return tenon_rnn_f32_run(c, begin, end);
}
