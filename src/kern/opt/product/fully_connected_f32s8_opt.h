// kern/opt/product/fully_connected_f32s8_opt.h - product of floats with
// quantised weights. A range turns the rows of each block it touches into
// integers, each row with a scale of its own; the scales stand behind them in
// scratch.
#ifndef TENON_KERN_OPT_FULLY_CONNECTED_F32S8_OPT_H
#define TENON_KERN_OPT_FULLY_CONNECTED_F32S8_OPT_H

#include "kern/opt/product/hybrid_f32_opt.h"
#include "kern/opt/tiles/tile_f32.h"
#include "kern/product/conv.h"

TENON_INLINE tenon_status tenon_fully_connected_f32s8_run(const tenon_call *c,
                                                          int64_t begin,
                                                          int64_t end) {
  const tenon_fully_connected_attrs *a =
      (const tenon_fully_connected_attrs *)c->attrs;
  const tenon_matrix p = tenon_matrix_of(c);
  const tenon_blocks blocks =
      tenon_blocks_of_product(p.m, p.k, p.n, sizeof(float));
  const tenon_gemm_f32 gemm = tenon_gemm_f32_of(c->packed, p.k, p.n);
  const tenon_hybrid_f32 post = tenon_hybrid_f32_of(c->packed, p.k, p.n);
  float *x = (float *)c->scratch, *scale = x + blocks.height * p.k;
  while (begin < end) {
    tenon_work work;
    begin = tenon_blocks_work(&blocks, begin, end, &work);
    const ptrdiff_t m = work.end - work.begin;
    float *y = (float *)c->out[0].data + work.begin * p.n;
    for (ptrdiff_t r = 0; r < m; ++r)
      scale[r] = tenon_hybrid_f32_quantize(
          (const float *)c->in[0].data + (work.begin + r) * p.k, p.k,
          a->asymmetric, x + r * p.k);
    for (ptrdiff_t i = work.group; i < work.group_end; ++i)
      tenon_product_f32(&gemm, p.k, tenon_group_begin(i),
                        tenon_group_end(i, p.n), m, x, y);
    for (ptrdiff_t r = 0; r < m; ++r)
      tenon_hybrid_f32_finish(&post, scale[r], y + r * p.n, 1, p.n,
                              work.group * TENON_GROUP,
                              work.group_end * TENON_GROUP);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_FULLY_CONNECTED_F32S8_OPT_H
