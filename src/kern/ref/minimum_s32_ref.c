// minimum_s32_ref.c - the smaller of two integers.
#include "kern/broadcast.h"

TENON_BROADCAST_KERNEL(tenon_k_minimum_s32_ref, int32_t, , x < y ? x : y)
