// fully_connected_any_s8_tile.c - quantised product (kern/tile/matrix.h) with
// any factors.
#include "kern/tile/matrix.h"

TENON_KERNEL_RANGE(tenon_k_fully_connected_any_s8_tile) {
  return tenon_matrix_by_four(c, begin, end, tenon_requant_once);
}
