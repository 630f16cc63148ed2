// maximum_s64_ref.c - the larger of two integers.
#include "kern/broadcast.h"

TENON_BROADCAST_KERNEL(tenon_k_maximum_s64_ref, int64_t, , x > y ? x : y)
