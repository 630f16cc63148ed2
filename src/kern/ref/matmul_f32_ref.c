// matmul_f32_ref.c - products of matrices, in floats.
#include <math.h>

#include "kern/matmul.h"

TENON_MATMUL_KERNEL(tenon_k_matmul_f32_ref, float, fmaf(a, b, sum))
