// det_f32_ref.c - determinants, in floats.
#include <math.h>

#include "kern/solve.h"

TENON_DET_KERNEL(tenon_k_det_f32_ref, float, fmaf, fabsf)
