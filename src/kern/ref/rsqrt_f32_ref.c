// rsqrt_f32_ref.c - 1 / sqrt(x), each step correctly rounded.
#include <math.h>

#include "kern/each.h"

TENON_EACH_KERNEL(tenon_k_rsqrt_f32_ref, float, float, , 1.0f / sqrtf(x))
