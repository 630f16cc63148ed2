// conv_transpose3d_s8_ref.c - quantised transposed convolution, as LiteRT's
// reference TRANSPOSE_CONV: sums in 32 bits, rounded twice.
#include "kern/requant.h"
#include "kern/volume.h"

TENON_CONV_TRANSPOSE3D_STORED(tenon_k_conv_transpose3d_s8_ref, int8_t, uint32_t,
                              int32_t,
                              tenon_requant_s8_twice(r, (int32_t)acc, oc))
