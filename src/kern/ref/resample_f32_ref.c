// resample_f32_ref.c - weighted sums along an axis, in floats.
#include <math.h>

#include "kern/resample.h"

TENON_RESAMPLE_KERNEL(tenon_k_resample_f32_ref, float, fmaf)
