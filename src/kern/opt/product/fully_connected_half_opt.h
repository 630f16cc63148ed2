// kern/opt/product/fully_connected_half_opt.h - product with a transposed
// matrix, of 16-bit floats: rows of a block become floats in scratch, once for
// all outputs that a range has of them, and what the tiles of
// kern/opt/tiles/tile_f32.h sum up is rounded while it is in the first cache.
// The weights are floats, packed as for rows of floats.
#ifndef TENON_KERN_OPT_FULLY_CONNECTED_HALF_OPT_H
#define TENON_KERN_OPT_FULLY_CONNECTED_HALF_OPT_H

#include "kern/opt/tiles/half_rows.h"
#include "kern/opt/tiles/tile_f32.h"
#include "kern/product/conv.h"

typedef void tenon_floats_of_fn(const uint16_t *, float *, ptrdiff_t);
typedef void tenon_floats_as_fn(const float *, uint16_t *, ptrdiff_t);

TENON_INLINE tenon_status tenon_fully_connected_half_run(
    const tenon_call *c, int64_t begin, int64_t end, tenon_floats_of_fn *widen,
    tenon_floats_as_fn *narrow) {
  const tenon_matrix p = tenon_matrix_of(c);
  const tenon_blocks blocks =
      tenon_blocks_of_product(p.m, p.k, p.n, sizeof(float));
  const tenon_gemm_f32 gemm = tenon_gemm_f32_of(c->packed, p.k, p.n);
  const ptrdiff_t width = tenon_half_width(&blocks);
  float *x = (float *)c->scratch, *y = x + blocks.height * p.k;
  while (begin < end) {
    tenon_work work;
    begin = tenon_blocks_work(&blocks, begin, end, &work);
    const ptrdiff_t m = work.end - work.begin;
    const ptrdiff_t last = work.group_end * TENON_GROUP;
    const ptrdiff_t stop = last < p.n ? last : p.n;
    widen((const uint16_t *)c->in[0].data + work.begin * p.k, x, m * p.k);
    for (ptrdiff_t j = work.group * TENON_GROUP; j < stop; j += width) {
      const ptrdiff_t count = stop - j < width ? stop - j : width;
      uint16_t *to = (uint16_t *)c->out[0].data + work.begin * p.n + j;
      const tenon_walk walk = {.ny = 1, .nx = 1, .len = p.k};
      tenon_gemm_f32 part = gemm;
      part.bias += j;
      part.weights += j * p.k;
      part.n = count;
      for (ptrdiff_t i = 0; i < m; i += TENON_HALF_ROWS) {
        const ptrdiff_t rows =
            m - i < TENON_HALF_ROWS ? m - i : TENON_HALF_ROWS;
        tenon_gemm_f32_rows(&part, &walk, 0, (count + TENON_VL - 1) / TENON_VL,
                            rows, x + i * p.k, p.k, y, width);
        for (ptrdiff_t r = 0; r < rows; ++r)
          narrow(y + r * width, to + (i + r) * p.n, count);
      }
    }
  }
  return TENON_OK;
}

#define tenon_fully_connected_f16_run(c, begin, end)                 \
  tenon_fully_connected_half_run(c, begin, end, tenon_floats_of_f16, \
                                 tenon_floats_as_f16)
#define tenon_fully_connected_bf16_run(c, begin, end)                 \
  tenon_fully_connected_half_run(c, begin, end, tenon_floats_of_bf16, \
                                 tenon_floats_as_bf16)

#endif  // TENON_KERN_OPT_FULLY_CONNECTED_HALF_OPT_H
