// mean_s16q_ref.c - means of quantised 16-bit elements, as LiteRT's MEAN:
// rounded twice.
#include "kern/stored.h"

TENON_STORED_MEAN(tenon_k_mean_s16q_ref, int16_t)
