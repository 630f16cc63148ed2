// add_s8_ref.c - quantised sum, as LiteRT's reference ADD: both operands with
// 20 more bits at twice the larger scale, rounded twice at every step.
#include "kern/arith.h"

TENON_BROADCAST_KERNEL(tenon_k_add_s8_ref, int8_t,
                       const tenon_add_s8 *p = (const tenon_add_s8 *)c->packed;
                       , (int8_t)tenon_add_stored(p, x, y, 1))
