// add_s16q_ref.c - sum of quantised 16-bit numbers, as LiteRT's reference
// ADD: both operands with 15 more bits at twice the larger scale.
#include "kern/arith.h"

TENON_BROADCAST_KERNEL(tenon_k_add_s16q_ref, int16_t,
                       const tenon_add_s8 *p = (const tenon_add_s8 *)c->packed;
                       , (int16_t)tenon_add_stored(p, x, y, 1))
