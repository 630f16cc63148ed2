// fully_connected_any_s8_tile.c - quantised product (kern/tile/matrix.h) with
// any factors.
#include "kern/tile/matrix.h"

TENON_MATRIX_BY_FOUR(tenon_k_fully_connected_any_s8_tile, tenon_requant_once)
