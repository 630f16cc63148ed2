// max_pool3d_s64_ref.c - maxima of windows of planes of integers.
#include "kern/planes.h"

TENON_MAX_PLANES_KERNEL(tenon_k_max_pool3d_s64_ref, int64_t, tenon_max_box)
