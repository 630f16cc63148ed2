// dynamic_linear_s8_ref.c - rows of integers whose scales a run finds out,
// times a transposed matrix of scaled integers.
#include "kern/product/dynamic_linear.h"

TENON_KERNEL_RANGE(tenon_k_dynamic_linear_s8_ref) {
  return tenon_dynamic_linear_sums(c, false, begin, end);
}
