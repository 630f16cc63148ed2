// grid_sample_f64_ref.c - elements at real places, in doubles.
#include <math.h>

#include "kern/grid.h"

TENON_GRID_KERNEL(tenon_k_grid_sample_f64_ref, double, fma, floor, rint, fmod,
                  fabs)
