// inverse_f32_ref.c - inverse matrices, in floats.
#include <math.h>

#include "kern/solve.h"

TENON_INVERSE_KERNEL(tenon_k_inverse_f32_ref, float, fmaf, fabsf)
