// sub_s32_ref.c - x - y in integers that wrap, limited.
#include "kern/arith.h"

TENON_BROADCAST_KERNEL(
    tenon_k_sub_s32_ref, int32_t, TENON_ARITH_LIMITS_S64(INT32_MIN, INT32_MAX),
    (int32_t)tenon_limit_s64((int32_t)((uint32_t)x - (uint32_t)y), m))
