// argmax_ref.c - where the largest element stands, over the reduced dimensions.
//
// Items are outputs.
#include "kern/op/extreme.h"

TENON_KERNEL_RANGE(tenon_k_argmax_ref) {
  return tenon_extreme_places(c, begin, end, true,
                              "the place of the largest of no elements");
}
