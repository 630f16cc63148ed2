// conv_transpose3d_s8_tile.c - quantised transposed convolution, four channels
// at a time, or as many as are left of a group. Bit for bit what
// conv_transpose3d_s8_ref.c computes.
#include "kern/tile/apart.h"
#include "kern/tile/conv_transpose.h"

// Of `depth` numbers, one at least, less `zero`, and four rows of weights,
// `size` apart.
TENON_APART void conv_transpose3d_s8_tile_four(const int8_t *x,
                                               const int8_t *w0, ptrdiff_t size,
                                               ptrdiff_t depth, int32_t zero,
                                               uint32_t *sums) {
  const int8_t *w1 = w0 + size, *w2 = w1 + size, *w3 = w2 + size;
  const int8_t *const end = x + depth;
  uint32_t a = sums[0], b = sums[1], d = sums[2], e = sums[3];
  do {
    const int32_t v = *x++ - zero;
    const int32_t v0 = *w0++, v1 = *w1++, v2 = *w2++, v3 = *w3++;
    a += (uint32_t)(v * v0);
    b += (uint32_t)(v * v1);
    d += (uint32_t)(v * v2);
    e += (uint32_t)(v * v3);
  } while (x != end);
  sums[0] = a, sums[1] = b, sums[2] = d, sums[3] = e;
}

TENON_KERNEL_RANGE(tenon_k_conv_transpose3d_s8_tile) {
  return tenon_conv_transpose_fours(c, begin, end,
                                    conv_transpose3d_s8_tile_four);
}
