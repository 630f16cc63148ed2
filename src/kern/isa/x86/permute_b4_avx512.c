// permute_b4_avx512.c - transpositions of elements of four bytes.
#include "kern/isa/x86/avx512.h"
//
#include "kern/opt/permute_b4_opt.h"

TENON_KERNEL_RANGE(tenon_k_permute_b4_avx512) {
  return tenon_permute_b4_run(c, begin, end);
}
