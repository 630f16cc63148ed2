// grid_sample_f32_ref.c - elements at real places, in floats.
#include <math.h>

#include "kern/grid.h"

TENON_GRID_KERNEL(tenon_k_grid_sample_f32_ref, float, fmaf, floorf, rintf,
                  fmodf, fabsf)
