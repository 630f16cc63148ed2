// det_f64_ref.c - determinants, in doubles.
#include <math.h>

#include "kern/solve.h"

TENON_DET_KERNEL(tenon_k_det_f64_ref, double, fma, fabs)
