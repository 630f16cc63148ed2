// pad_tile.c - a border of one value around rows as long as they can be.
#include "kern/opt/pad_opt.h"

TENON_KERNEL_RANGE(tenon_k_pad_tile) {
  return tenon_pad_run(c, begin, end);
}
