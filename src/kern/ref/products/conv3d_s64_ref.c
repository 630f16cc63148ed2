// conv3d_s64_ref.c - convolution of volumes of integers, which wrap.
#include "kern/product/volume.h"

#define CONV3D_S64_REF_ADD(a, b, sum) ((a) * (b) + (sum))

TENON_CONV3D_KERNEL(tenon_k_conv3d_s64_ref, uint64_t, CONV3D_S64_REF_ADD)
