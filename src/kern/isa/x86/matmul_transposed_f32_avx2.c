// matmul_transposed_f32_avx2.c - core::matmul_transposed on floats with
// AVX2 and FMA.
#include "kern/isa/x86/avx2.h"
//
#include "kern/opt/matmul_transposed_f32_opt.h"

TENON_KERNEL_RANGE(tenon_k_matmul_transposed_f32_avx2) {
  return tenon_matmul_transposed_f32_run(c, begin, end);
}
