// max_pool_u8_ref.c - maximum over a window of unsigned stored values; operand
// and result share scale and zero point.
#include "kern/pooling.h"

TENON_MAX_POOL_STORED(tenon_k_max_pool_u8_ref, uint8_t, 0)
