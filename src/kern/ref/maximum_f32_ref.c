// maximum_f32_ref.c - the larger of two floats; NaN if either is.
#include "kern/broadcast.h"

TENON_BROADCAST_KERNEL(tenon_k_maximum_f32_ref, float, ,
                       x > y || x != x ? x : y)
