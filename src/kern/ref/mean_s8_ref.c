// mean_s8_ref.c - means of quantised elements, as LiteRT's MEAN: rounded
// twice.
#include "kern/stored.h"

TENON_STORED_MEAN(tenon_k_mean_s8_ref, int8_t)
