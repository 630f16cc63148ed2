// clamp_s8_ref.c - limits on quantised values, with another scale at the result
// if need be: LiteRT's reference RELU and RELU6.
#include "kern/clamp.h"
#include "kern/each.h"
#include "kern/requant.h"

TENON_EACH_KERNEL(tenon_k_clamp_s8_ref, int8_t, int8_t,
                  const tenon_requant *r = (const tenon_requant *)c->packed;
                  , tenon_requant_s8_twice(r, x - r->x_zero, 0))
