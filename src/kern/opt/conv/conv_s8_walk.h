// kern/opt/conv/conv_s8_walk.h - where the products of a convolution of
// integers lie: rows of input in scratch, as the dot product takes them, and
// packed weights.
#ifndef TENON_KERN_OPT_CONV_S8_WALK_H
#define TENON_KERN_OPT_CONV_S8_WALK_H

#include "kern/opt/conv/conv_s8_share.h"
#include "kern/opt/tiles/tile_s8_sum.h"
#include "kern/product/conv.h"

typedef struct tenon_conv_s8 {
  tenon_window g;
  tenon_gemm_s8 gemm;
  ptrdiff_t columns, row_size;
  tenon_walk walk;
  tenon_share share;
} tenon_conv_s8;

// All but the packed weights.
TENON_INLINE tenon_conv_s8 tenon_conv_s8_walk(const tenon_call *c) {
  tenon_conv_s8 s;
  memset(&s.gemm, 0, sizeof s.gemm);
  s.g = tenon_conv_window(c);
  const tenon_window *g = &s.g;
  const ptrdiff_t act = (ptrdiff_t)sizeof(tenon_act);
  s.share = tenon_share_of(c);
  const bool is_dense = tenon_share_is_dense(&s.share, c);
  const ptrdiff_t run = is_dense ? g->kw * g->c : s.share.depth;
  const ptrdiff_t len = (run + TENON_TILE_GROUP - 1) / TENON_TILE_GROUP;
  s.columns = tenon_columns_read(g);
  s.row_size = tenon_row_size_s8(g, act, TENON_TILE_GROUP);
  s.walk.ny = g->kh;
  s.walk.nx = is_dense ? 1 : g->kw;
  s.walk.len = len;
  s.walk.flip = 0;
  s.walk.is_three = is_dense && g->kw == 3 && g->c == 3;
  s.walk.shared =
      g->kw == 3 && is_dense && g->right == 1 && g->c % TENON_TILE_GROUP == 0
          ? len / 3
          : 0;
  s.walk.a_y = g->dil_y * s.row_size;
  s.walk.a_x = g->dil_x * g->c * act;
  s.walk.b_x = len * TENON_TILE_GROUP * TENON_LANES;
  s.walk.b_y = s.walk.nx * s.walk.b_x;
  return s;
}

TENON_INLINE tenon_conv_s8 tenon_conv_s8_of(const tenon_call *c) {
  tenon_conv_s8 s = tenon_conv_s8_walk(c);
  s.gemm = tenon_gemm_s8_of(c->packed, s.walk.ny * s.walk.nx * s.walk.len,
                            s.g.out_c);
  return s;
}

#endif  // TENON_KERN_OPT_CONV_S8_WALK_H
