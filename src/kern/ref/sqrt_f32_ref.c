// sqrt_f32_ref.c - square root, correctly rounded.
#include <math.h>

#include "kern/each.h"

TENON_EACH_KERNEL(tenon_k_sqrt_f32_ref, float, float, , sqrtf(x))
