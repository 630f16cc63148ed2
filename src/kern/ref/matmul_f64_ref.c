// matmul_f64_ref.c - products of matrices, in doubles.
#include <math.h>

#include "kern/matmul.h"

TENON_MATMUL_KERNEL(tenon_k_matmul_f64_ref, double, fma(a, b, sum))
