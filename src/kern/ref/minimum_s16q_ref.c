// minimum_s16q_ref.c - the smaller of two 16-bit integers. Quantised operands
// share scale and zero point with the result.
#include "kern/broadcast.h"

TENON_BROADCAST_KERNEL(tenon_k_minimum_s16q_ref, int16_t, , x < y ? x : y)
