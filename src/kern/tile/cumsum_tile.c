// cumsum_tile.c - running sums of lines beside each other.
#include "kern/opt/rows/running_opt.h"

TENON_INLINE int64_t tenon_k_cumsum_tile_items(const tenon_call *c) {
  return tenon_cumulate_items(c);
}

TENON_KERNEL_RANGE(tenon_k_cumsum_tile) {
  return tenon_running_run(c, begin, end, false);
}
