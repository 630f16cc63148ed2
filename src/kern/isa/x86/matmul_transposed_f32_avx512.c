// matmul_transposed_f32_avx512.c - core::matmul_transposed on floats with
// AVX-512.
#include "kern/isa/x86/avx512.h"
//
#include "kern/opt/matmul_transposed_f32_opt.h"

TENON_KERNEL_RANGE(tenon_k_matmul_transposed_f32_avx512) {
  return tenon_matmul_transposed_f32_run(c, begin, end);
}
