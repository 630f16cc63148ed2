// kern/opt/product/fully_connected_f32_opt.h - product with a transposed
// matrix, in floats. The weights are packed as those of a 1x1 convolution; see
// kern/opt/tiles/tile_f32.h. Few rows are bound by reading the weights, once.
#ifndef TENON_KERN_OPT_FULLY_CONNECTED_F32_OPT_H
#define TENON_KERN_OPT_FULLY_CONNECTED_F32_OPT_H

#include "kern/opt/tiles/items.h"
#include "kern/opt/tiles/row_f32.h"
#include "kern/product/conv.h"

TENON_INLINE tenon_status tenon_fully_connected_f32_run(const tenon_call *c,
                                                        int64_t begin,
                                                        int64_t end) {
  const tenon_matrix p = tenon_matrix_of(c);
  tenon_blocks blocks = tenon_blocks_of_product(p.m, p.k, p.n, sizeof(float));
  const tenon_gemm_f32 gemm = tenon_gemm_f32_of(c->packed, p.k, p.n);
  tenon_blocks_turn(&blocks, p.k, 1);
  while (begin < end) {
    tenon_work work;
    begin = tenon_blocks_work(&blocks, begin, end, &work);
    if (work.end - work.begin == 1) {
      tenon_row_f32(&gemm, p.k, tenon_group_begin(work.group),
                    tenon_group_end(work.group_end - 1, p.n),
                    (const float *)c->in[0].data + work.begin * p.k,
                    (float *)c->out[0].data + work.begin * p.n);
      continue;
    }
    for (ptrdiff_t i = work.group; i < work.group_end; ++i)
      tenon_product_f32(&gemm, p.k, tenon_group_begin(i),
                        tenon_group_end(i, p.n), work.end - work.begin,
                        (const float *)c->in[0].data + work.begin * p.k,
                        (float *)c->out[0].data + work.begin * p.n);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_FULLY_CONNECTED_F32_OPT_H
