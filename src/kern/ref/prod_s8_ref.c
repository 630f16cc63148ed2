// prod_s8_ref.c - products of quantised elements, as LiteRT's
// REDUCE_PROD: each factor is scaled on its own.
#include "kern/stored.h"

TENON_STORED_PROD(tenon_k_prod_s8_ref, int8_t)
