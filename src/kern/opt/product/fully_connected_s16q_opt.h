// kern/opt/product/fully_connected_s16q_opt.h - product of 16-bit numbers with
// weights of 8 bits, scaled as doubles. See kern/opt/tiles/tile_s16.h.
#ifndef TENON_KERN_OPT_FULLY_CONNECTED_S16Q_OPT_H
#define TENON_KERN_OPT_FULLY_CONNECTED_S16Q_OPT_H

#include "kern/opt/tiles/tile_s16.h"

TENON_INLINE tenon_status tenon_fully_connected_s16q_run(const tenon_call *c,
                                                         int64_t begin,
                                                         int64_t end) {
  const tenon_matrix p = tenon_matrix_of(c);
  const tenon_walk w = {
      .ny = 1, .nx = 1, .len = (p.k + TENON_TILE_GROUP - 1) / TENON_TILE_GROUP};
  const tenon_gemm_s8 gemm = tenon_gemm_s8_of(c->packed, w.len, p.n);
  const tenon_blocks blocks =
      tenon_blocks_of_product(p.m, p.k, p.n, sizeof(tenon_act));
  while (begin < end) {
    tenon_work work;
    begin = tenon_blocks_work(&blocks, begin, end, &work);
    const int16_t *x = (const int16_t *)c->in[0].data + work.begin * p.k;
    const tenon_rows_s8 rows = {.m = work.end - work.begin,
                                .lda = p.k * (ptrdiff_t)sizeof(tenon_act),
                                .ldc = p.n,
                                .lines = 1};
    const char *a = (const char *)x;
    if (p.k % TENON_TILE_GROUP) {
      const size_t size = (size_t)(rows.m * rows.lda);
      memcpy(c->scratch, x, size);
      memset((char *)c->scratch + size, 0, 2);
      a = (const char *)c->scratch;
    }
    tenon_gemm_s16_rows(TENON_AWAY, &gemm, &w, tenon_group_begin(work.group),
                        tenon_group_end(work.group_end - 1, p.n), &rows, a,
                        (int16_t *)c->out[0].data + work.begin * p.n);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_FULLY_CONNECTED_S16Q_OPT_H
