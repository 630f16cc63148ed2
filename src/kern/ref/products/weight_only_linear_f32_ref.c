// weight_only_linear_f32_ref.c - product of floats with a transposed matrix of
// scaled integers.
#include "kern/product/weight_only.h"

TENON_KERNEL_RANGE(tenon_k_weight_only_linear_f32_ref) {
  return tenon_weight_only_chains(c, false, begin, end);
}
