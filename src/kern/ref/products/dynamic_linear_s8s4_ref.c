// dynamic_linear_s8s4_ref.c - the same with a matrix of integers that fit into
// 4 bits, and are packed into as many.
#include "kern/product/dynamic_linear.h"

TENON_KERNEL_RANGE(tenon_k_dynamic_linear_s8s4_ref) {
  return tenon_dynamic_linear_sums(c, true, begin, end);
}
