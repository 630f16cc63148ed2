// amax_ref.c - the largest element of any plain type. NaN wins; of nothing
// there is none.
//
// Items are outputs.
#include "kern/op/extreme.h"

TENON_KERNEL_RANGE(tenon_k_amax_ref) {
  return tenon_extreme_values(c, begin, end, true,
                              "the largest of no elements");
}
