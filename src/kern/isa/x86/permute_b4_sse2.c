// permute_b4_sse2.c - transpositions of elements of four bytes.
#include "kern/isa/x86/sse2.h"
//
#include "kern/opt/permute_b4_opt.h"

TENON_KERNEL_RANGE(tenon_k_permute_b4_sse2) {
  return tenon_permute_b4_run(c, begin, end);
}
