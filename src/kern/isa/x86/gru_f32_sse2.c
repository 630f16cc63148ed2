// gru_f32_sse2.c - a layer of GRU in floats, with SSE2.
#include "kern/isa/x86/sse2.h"
//
#include "kern/opt/recurrent_f32_opt.h"

TENON_KERNEL_RANGE(tenon_k_gru_f32_sse2) {
  return tenon_gru_f32_run(c, begin, end);
}
