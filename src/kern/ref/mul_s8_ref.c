// mul_s8_ref.c - quantised product, as LiteRT's reference MUL: rounded twice.
#include "kern/arith.h"

TENON_BROADCAST_KERNEL(tenon_k_mul_s8_ref, int8_t,
                       const tenon_mul_s8 *p = (const tenon_mul_s8 *)c->packed;
                       , (int8_t)tenon_mul_stored(p, x, y))
