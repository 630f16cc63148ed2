// weight_only_linear_f32s4_ref.c - product of floats with a transposed matrix
// of scaled integers that fit into 4 bits, and are packed into as many.
#include "kern/product/weight_only.h"

TENON_KERNEL_RANGE(tenon_k_weight_only_linear_f32s4_ref) {
  return tenon_weight_only_chains(c, true, begin, end);
}
