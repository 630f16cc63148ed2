// lstm_f32_sse2.c - a layer of LSTM in floats, with SSE2.
#include "kern/isa/x86/sse2.h"
//
#include "kern/opt/recurrent_f32_opt.h"

TENON_KERNEL_RANGE(tenon_k_lstm_f32_sse2) {
  return tenon_lstm_f32_run(c, begin, end);
}
