// pad_few_tile.c - a border of one value around rows of a few elements.
#include "kern/opt/pad_opt.h"

TENON_KERNEL_RANGE(tenon_k_pad_few_tile) {
  return tenon_pad_few_run(c, begin, end);
}
