// sum_s16q_ref.c - sums of quantised 16-bit elements, as LiteRT's SUM.
#include "kern/stored.h"

TENON_STORED_SUM(tenon_k_sum_s16q_ref, int16_t)
