// abs_s16q_ref.c - the magnitude of a quantised 16-bit value, as LiteRT's
// reference ABS.
#include "kern/each.h"
#include "kern/requant.h"

TENON_EACH_KERNEL(tenon_k_abs_s16q_ref, int16_t, int16_t,
                  const tenon_requant *r = (const tenon_requant *)c->packed;
                  , (int16_t)tenon_requant_stored(r, x < 0 ? -x : x, 0))
