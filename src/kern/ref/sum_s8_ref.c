// sum_s8_ref.c - sums of quantised elements, as LiteRT's SUM.
#include "kern/stored.h"

TENON_STORED_SUM(tenon_k_sum_s8_ref, int8_t)
