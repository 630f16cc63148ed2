// conv3d_f32_ref.c - convolution of volumes, in floats.
#include <math.h>

#include "kern/volume.h"

TENON_CONV3D_KERNEL(tenon_k_conv3d_f32_ref, float, fmaf)
