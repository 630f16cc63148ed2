// cummax_ref.c - the largest element so far along an axis, and where it stands.
//
// Items are lines along the axis.
#include "kern/op/extreme.h"

// Emitted C asks where sizes are open.
TENON_INLINE int64_t tenon_k_cummax_ref_items(const tenon_call *c) {
  return tenon_extreme_lines(c);
}

TENON_KERNEL_RANGE(tenon_k_cummax_ref) {
  return tenon_extreme_runs(c, begin, end, true);
}
