// fully_connected_s8_tile.c - quantised product (kern/tile/matrix.h) where no
// factor is a double, as most are: nothing is printed that scales by one.
#include "kern/tile/matrix.h"

TENON_MATRIX_BY_FOUR(tenon_k_fully_connected_s8_tile, tenon_requant_integer)
