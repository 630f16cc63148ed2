// prod_s16q_ref.c - products of quantised 16-bit elements, as LiteRT's
// REDUCE_PROD: each factor is scaled on its own.
#include "kern/stored.h"

TENON_STORED_PROD(tenon_k_prod_s16q_ref, int16_t)
