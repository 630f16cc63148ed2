// div_f32_ref.c - x / y in floats, limited.
#include "kern/arith.h"

TENON_BROADCAST_KERNEL(tenon_k_div_f32_ref, float, TENON_ARITH_LIMITS_F32,
                       tenon_limit_f32(x / y, m))
