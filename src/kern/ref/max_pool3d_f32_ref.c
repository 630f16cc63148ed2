// max_pool3d_f32_ref.c - maxima of windows of planes, in floats.
#include "kern/planes.h"

TENON_MAX_PLANES_KERNEL(tenon_k_max_pool3d_f32_ref, float, tenon_max_box)
