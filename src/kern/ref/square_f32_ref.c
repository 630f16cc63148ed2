// square_f32_ref.c - x * x.
#include "kern/each.h"

TENON_EACH_KERNEL(tenon_k_square_f32_ref, float, float, , x *x)
