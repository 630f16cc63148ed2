// conv_transpose3d_f64_ref.c - transposed convolution of volumes, in doubles.
#include <math.h>

#include "kern/volume.h"

TENON_CONV_TRANSPOSE3D_KERNEL(tenon_k_conv_transpose3d_f64_ref, double, fma)
