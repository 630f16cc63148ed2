// amin_ref.c - the smallest element of any plain type. NaN wins; of nothing
// there is none.
//
// Items are outputs.
#include "kern/op/extreme.h"

TENON_KERNEL_RANGE(tenon_k_amin_ref) {
  return tenon_extreme_values(c, begin, end, false,
                              "the smallest of no elements");
}
