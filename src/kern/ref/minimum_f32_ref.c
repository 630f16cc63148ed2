// minimum_f32_ref.c - the smaller of two floats; NaN if either is.
#include "kern/broadcast.h"

TENON_BROADCAST_KERNEL(tenon_k_minimum_f32_ref, float, ,
                       x < y || x != x ? x : y)
