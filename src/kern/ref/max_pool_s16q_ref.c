// max_pool_s16q_ref.c - maximum over a window of 16-bit stored values; operand
// and result share scale and zero point.
#include "kern/pooling.h"

TENON_MAX_POOL_STORED(tenon_k_max_pool_s16q_ref, int16_t, INT16_MIN)
