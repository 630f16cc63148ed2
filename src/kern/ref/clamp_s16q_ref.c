// clamp_s16q_ref.c - limits on quantised 16-bit values, with another scale at
// the result if need be: LiteRT's reference RELU and RELU6.
#include "kern/clamp.h"
#include "kern/each.h"
#include "kern/requant.h"

TENON_EACH_KERNEL(tenon_k_clamp_s16q_ref, int16_t, int16_t,
                  const tenon_requant *r = (const tenon_requant *)c->packed;
                  , (int16_t)tenon_requant_stored(r, x - r->x_zero, 0))
