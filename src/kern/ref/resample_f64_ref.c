// resample_f64_ref.c - weighted sums along an axis, in doubles.
#include <math.h>

#include "kern/resample.h"

TENON_RESAMPLE_KERNEL(tenon_k_resample_f64_ref, double, fma)
