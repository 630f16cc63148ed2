// permute_b4_avx2.c - transpositions of elements of four bytes.
#include "kern/isa/x86/avx2.h"
//
#include "kern/opt/permute_b4_opt.h"

TENON_KERNEL_RANGE(tenon_k_permute_b4_avx2) {
  return tenon_permute_b4_run(c, begin, end);
}
