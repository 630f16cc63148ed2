// rnn_f32_sse2.c - a layer without gates, in floats, with SSE2.
#include "kern/isa/x86/sse2.h"
//
#include "kern/opt/recurrent_f32_opt.h"

TENON_KERNEL_RANGE(tenon_k_rnn_f32_sse2) {
  return tenon_rnn_f32_run(c, begin, end);
}
