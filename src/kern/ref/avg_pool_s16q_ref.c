// avg_pool_s16q_ref.c - mean over a window of 16-bit stored values, halves away
// from zero, as LiteRT's reference; operand and result share scale and zero
// point.
#include "kern/pooling.h"

TENON_AVG_POOL_STORED(tenon_k_avg_pool_s16q_ref, int16_t)
