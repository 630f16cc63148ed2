// max_pool_s8_ref.c - maximum over a window of stored values; operand and
// result share scale and zero point.
#include "kern/pooling.h"

TENON_MAX_POOL_STORED(tenon_k_max_pool_s8_ref, int8_t, INT8_MIN)
