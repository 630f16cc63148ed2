// minimum_s8_ref.c - the smaller of two integers. Quantised operands share
// scale and zero point with the result.
#include "kern/broadcast.h"

TENON_BROADCAST_KERNEL(tenon_k_minimum_s8_ref, int8_t, , x < y ? x : y)
