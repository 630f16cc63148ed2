// conv_transpose3d_s64_ref.c - transposed convolution of volumes of integers,
// which wrap.
#include "kern/product/volume.h"

#define CONV_TRANSPOSE3D_S64_REF_ADD(a, b, sum) ((a) * (b) + (sum))

TENON_CONV_TRANSPOSE3D_KERNEL(tenon_k_conv_transpose3d_s64_ref, uint64_t,
                              CONV_TRANSPOSE3D_S64_REF_ADD)
