// conv3d_f64_ref.c - convolution of volumes, in doubles.
#include <math.h>

#include "kern/volume.h"

TENON_CONV3D_KERNEL(tenon_k_conv3d_f64_ref, double, fma)
