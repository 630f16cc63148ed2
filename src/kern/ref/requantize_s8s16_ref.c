// requantize_s8s16_ref.c - from one scale to another, as LiteRT's reference
// QUANTIZE: rounded twice.
#include "kern/each.h"
#include "kern/requant.h"

TENON_EACH_KERNEL(tenon_k_requantize_s8s16_ref, int8_t, int16_t,
                  const tenon_requant *r = (const tenon_requant *)c->packed;
                  , (int16_t)tenon_requant_stored(r, x - r->x_zero, 0))
