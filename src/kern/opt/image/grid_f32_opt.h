// kern/opt/image/grid_f32_opt.h - core::grid_sample on floats: the loop of
// kern/op/grid.h, for an instruction set that multiplies, adds and rounds in
// one step each.
#ifndef TENON_KERN_OPT_GRID_F32_OPT_H
#define TENON_KERN_OPT_GRID_F32_OPT_H

#include <math.h>

#include "kern/op/grid.h"
#include "kern/opt/vectors.h"

TENON_GRID_RUN(tenon_grid_sample_f32, float, fmaf, floorf, rintf, fmodf, fabsf)

#endif  // TENON_KERN_OPT_GRID_F32_OPT_H
