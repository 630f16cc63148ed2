// sum_u8q_ref.c - sums of quantised unsigned elements, as LiteRT's SUM.
#include "kern/stored.h"

TENON_STORED_SUM(tenon_k_sum_u8q_ref, uint8_t)
