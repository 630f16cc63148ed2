// avg_pool3d_s64_ref.c - means of windows of planes of integers, towards zero.
#include "kern/planes.h"

TENON_AVG_PLANES_KERNEL(tenon_k_avg_pool3d_s64_ref, int64_t, uint64_t,
                        tenon_avg_box)
