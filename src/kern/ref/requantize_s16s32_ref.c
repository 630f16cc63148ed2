// requantize_s16s32_ref.c - from one scale to another, as LiteRT's reference
// QUANTIZE: rounded twice.
#include "kern/each.h"
#include "kern/requant.h"

TENON_EACH_KERNEL(tenon_k_requantize_s16s32_ref, int16_t, int32_t,
                  const tenon_requant *r = (const tenon_requant *)c->packed;
                  , tenon_requant_stored(r, x - r->x_zero, 0))
