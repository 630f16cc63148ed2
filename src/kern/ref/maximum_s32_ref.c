// maximum_s32_ref.c - the larger of two integers.
#include "kern/broadcast.h"

TENON_BROADCAST_KERNEL(tenon_k_maximum_s32_ref, int32_t, , x > y ? x : y)
