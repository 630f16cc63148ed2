// adaptive_avg_pool3d_f32_ref.c - means of windows of planes, in floats.
#include "kern/planes.h"

TENON_AVG_PLANES_KERNEL(tenon_k_adaptive_avg_pool3d_f32_ref, float, float,
                        tenon_adaptive_box)
