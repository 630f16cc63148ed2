// inverse_f64_ref.c - inverse matrices, in doubles.
#include <math.h>

#include "kern/solve.h"

TENON_INVERSE_KERNEL(tenon_k_inverse_f64_ref, double, fma, fabs)
