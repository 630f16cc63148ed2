// mul_s64_ref.c - x * y in integers that wrap, limited.
#include "kern/arith.h"

TENON_BROADCAST_KERNEL(
    tenon_k_mul_s64_ref, int64_t, TENON_ARITH_LIMITS_S64(INT64_MIN, INT64_MAX),
    (int64_t)tenon_limit_s64((int64_t)((uint64_t)x *(uint64_t)y), m))
