// lstm_f32_avx512.c - a layer of LSTM in floats, with AVX-512.
#include "kern/isa/x86/avx512.h"
//
#include "kern/opt/recurrent_f32_opt.h"

TENON_KERNEL_RANGE(tenon_k_lstm_f32_avx512) {
  return tenon_lstm_f32_run(c, begin, end);
}
