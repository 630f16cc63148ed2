// adaptive_max_pool3d_f64_ref.c - maxima of windows of planes, in doubles.
#include "kern/planes.h"

TENON_MAX_PLANES_KERNEL(tenon_k_adaptive_max_pool3d_f64_ref, double,
                        tenon_adaptive_box)
