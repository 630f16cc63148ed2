// kern/opt/product/fully_connected_s8_opt.h - quantised product, rounded once.
// See kern/opt/tiles/tile_s8.h.
#ifndef TENON_KERN_OPT_FULLY_CONNECTED_S8_OPT_H
#define TENON_KERN_OPT_FULLY_CONNECTED_S8_OPT_H

#include "kern/opt/tiles/tile_s8.h"

static void tenon_fully_connected_s8_groups(const tenon_gemm_s8 *gemm,
                                            const tenon_walk *w,
                                            ptrdiff_t group, ptrdiff_t end,
                                            ptrdiff_t m, ptrdiff_t k,
                                            const char *a, int8_t *y) {
  const tenon_rows_s8 rows = {.m = m,
                              .lda = k * (ptrdiff_t)sizeof(tenon_act),
                              .ldc = gemm->n,
                              .lines = 1};
  tenon_gemm_s8_rows(TENON_ONCE, gemm, w, tenon_group_begin(group),
                     tenon_group_end(end - 1, gemm->n), &rows, a, y);
}

// A row whose groups are whole is read where it is.
TENON_FLAT bool tenon_fully_connected_s8_is_direct(const tenon_matrix *p) {
  return sizeof(tenon_act) == 1 && p->m == 1 && p->k % TENON_TILE_GROUP == 0;
}

TENON_INLINE tenon_status tenon_fully_connected_s8_run(const tenon_call *c,
                                                       int64_t begin,
                                                       int64_t end) {
  const tenon_matrix p = tenon_matrix_of(c);
  tenon_walk w = {
      .ny = 1, .nx = 1, .len = (p.k + TENON_TILE_GROUP - 1) / TENON_TILE_GROUP};
  const tenon_gemm_s8 gemm = tenon_gemm_s8_of(c->packed, w.len, p.n);
  int8_t *y = (int8_t *)c->out[0].data;
  if (tenon_fully_connected_s8_is_direct(&p)) {
    w.flip = (int32_t)(TENON_FLIP * 0x01010101u);
    tenon_gemm_s8_row(TENON_ONCE, &gemm, &w,
                      tenon_group_begin((ptrdiff_t)begin),
                      tenon_group_end((ptrdiff_t)end - 1, p.n),
                      (const char *)c->in[0].data, y);
    return TENON_OK;
  }
  // An item of one row is a group: nothing to divide.
  tenon_work work = {0, 0, 1, (ptrdiff_t)begin, (ptrdiff_t)end};
  tenon_blocks blocks = {0};
  if (p.m != 1)
    blocks = tenon_blocks_of_product(p.m, p.k, p.n, sizeof(tenon_act));
  while (begin < end) {
    begin = p.m == 1 ? end : tenon_blocks_work(&blocks, begin, end, &work);
    const ptrdiff_t m = work.end - work.begin;
    tenon_act *d = tenon_act_copy(
        (tenon_act *)c->scratch,
        (const int8_t *)c->in[0].data + work.begin * p.k, m * p.k);
    tenon_act_fill(d, TENON_TILE_GROUP, 0);
    tenon_fully_connected_s8_groups(&gemm, &w, work.group, work.group_end, m,
                                    p.k, (const char *)c->scratch,
                                    y + work.begin * p.n);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_FULLY_CONNECTED_S8_OPT_H
