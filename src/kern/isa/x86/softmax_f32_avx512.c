// softmax_f32_avx512.c - softmax of floats, with AVX-512.
#include "kern/isa/x86/avx512.h"
//
#include "kern/opt/softmax_f32_opt.h"

TENON_KERNEL_RANGE(tenon_k_softmax_f32_avx512) {
  return tenon_softmax_f32_run(c, begin, end);
}
