// minimum_s64_ref.c - the smaller of two integers.
#include "kern/broadcast.h"

TENON_BROADCAST_KERNEL(tenon_k_minimum_s64_ref, int64_t, , x < y ? x : y)
