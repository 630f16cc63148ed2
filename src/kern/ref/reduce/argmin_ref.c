// argmin_ref.c - where the smallest element stands, over the reduced
// dimensions.
//
// Items are outputs.
#include "kern/op/extreme.h"

TENON_KERNEL_RANGE(tenon_k_argmin_ref) {
  return tenon_extreme_places(c, begin, end, false,
                              "the place of the smallest of no elements");
}
