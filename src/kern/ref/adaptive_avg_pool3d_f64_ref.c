// adaptive_avg_pool3d_f64_ref.c - means of windows of planes, in doubles.
#include "kern/planes.h"

TENON_AVG_PLANES_KERNEL(tenon_k_adaptive_avg_pool3d_f64_ref, double, double,
                        tenon_adaptive_box)
