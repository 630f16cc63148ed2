// conv_transpose3d_s16q_ref.c - transposed convolution of 16-bit numbers with
// 8-bit weights, as LiteRT's reference TRANSPOSE_CONV: sums in 64 bits.
#include "kern/requant.h"
#include "kern/volume.h"

TENON_CONV_TRANSPOSE3D_STORED(tenon_k_conv_transpose3d_s16q_ref, int16_t,
                              int64_t, int64_t,
                              tenon_requant_s16_wide(r, acc, oc))
