// mul_s16q_ref.c - product of quantised 16-bit numbers, as LiteRT's reference
// MUL: rounded twice.
#include "kern/arith.h"

TENON_BROADCAST_KERNEL(tenon_k_mul_s16q_ref, int16_t,
                       const tenon_mul_s8 *p = (const tenon_mul_s8 *)c->packed;
                       , (int16_t)tenon_mul_stored(p, x, y))
