// kern/opt/product/fully_connected_row_s8_opt.h - one row of bytes by constant
// weights, rounded once.
//
// As fully_connected_s8_opt.h, but the panels of an item lie side by side, step
// by step, so that its weights are one stream. Two steps at a time have chains
// of their own, since four chains would wait for themselves.
#ifndef TENON_KERN_OPT_FULLY_CONNECTED_ROW_S8_OPT_H
#define TENON_KERN_OPT_FULLY_CONNECTED_ROW_S8_OPT_H

#include "kern/opt/tiles/tile_s8.h"

enum { TENON_ROW_WIDE = TENON_GROUP / TENON_VL };

// `nv` vectors of outputs from vector v on, whose weights begin at b; a
// constant.
TENON_FLAT void tenon_row_s8_item(const int nv, const tenon_gemm_s8 *g,
                                  ptrdiff_t len, ptrdiff_t v, const char *a,
                                  const int8_t *b, int8_t *c) {
  const ptrdiff_t size = TENON_VL * TENON_TILE_GROUP;
  const tenon_vi flip = tenon_vi_splat((int32_t)(TENON_FLIP * 0x01010101u));
  tenon_vi acc[TENON_ROW_WIDE], odd[TENON_ROW_WIDE];
  TENON_UNROLL
  for (int j = 0; j < nv; ++j) {
    acc[j] = tenon_vi_load(g->bias + (v + j) * TENON_VL);
    odd[j] = (tenon_vi){0};
  }
  ptrdiff_t p = 0;
  for (; p + 2 <= len; p += 2, a += 2 * TENON_TILE_BYTES, b += 2 * nv * size) {
    const tenon_vi one = tenon_act_splat(a) ^ flip;
    const tenon_vi two = tenon_act_splat(a + TENON_TILE_BYTES) ^ flip;
    TENON_UNROLL
    for (int j = 0; j < nv; ++j) {
      acc[j] = tenon_vi_dot(acc[j], one, tenon_vi_load(b + j * size));
      odd[j] = tenon_vi_dot(odd[j], two, tenon_vi_load(b + (nv + j) * size));
    }
  }
  if (p < len) {
    const tenon_vi one = tenon_act_splat(a) ^ flip;
    TENON_UNROLL
    for (int j = 0; j < nv; ++j)
      acc[j] = tenon_vi_dot(acc[j], one, tenon_vi_load(b + j * size));
  }
  TENON_UNROLL
  for (int j = 0; j < nv; ++j)
    acc[j] += odd[j];
  const tenon_scale_s8 *s = &g->scale;
#if defined(TENON_HAS_NEAR) && defined(TENON_HAS_NARROW4)
  if (nv == 4 && s->is_plain && (v + nv) * TENON_VL <= g->n &&
      (s->is_same
           ? tenon_row_s8_near(TENON_ONCE, 1, 4, s, v, acc, c + v * TENON_VL)
           : tenon_row_s8_near(TENON_ONCE, 0, 4, s, v, acc, c + v * TENON_VL)))
    return;
#endif
  for (int j = 0; j < nv; ++j) {
    const ptrdiff_t i = (v + j) * TENON_VL;
    const tenon_scale_v scale = tenon_scale_v_of(TENON_ONCE, s, i, g->n - i);
    tenon_scale_v_put(TENON_ONCE, 1, &scale, &acc[j], c + i, 0);
  }
}

#define TENON_ROW(nv)                                                    \
  TENON_APART void tenon_row_s8_item_##nv(                               \
      const tenon_gemm_s8 *g, ptrdiff_t len, ptrdiff_t v, const char *a, \
      const int8_t *b, int8_t *c) {                                      \
    tenon_row_s8_item(nv, g, len, v, a, b, c);                           \
  }
TENON_ROW(1)
TENON_ROW(2)
TENON_ROW(3)
TENON_ROW(4)
#undef TENON_ROW

TENON_INLINE tenon_status tenon_fully_connected_row_s8_run(const tenon_call *c,
                                                           int64_t begin,
                                                           int64_t end) {
  const tenon_matrix p = tenon_matrix_of(c);
  const ptrdiff_t len = p.k / TENON_TILE_GROUP;
  const tenon_gemm_s8 g = tenon_gemm_s8_of(c->packed, len, p.n);
  const char *a = (const char *)c->in[0].data;
  int8_t *y = (int8_t *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    const ptrdiff_t v = tenon_group_begin(i);
    const int8_t *b = g.weights + v * g.panel;
    switch (tenon_group_end(i, p.n) - v) {
      case 1:
        tenon_row_s8_item_1(&g, len, v, a, b, y);
        break;
      case 2:
        tenon_row_s8_item_2(&g, len, v, a, b, y);
        break;
      case 3:
        tenon_row_s8_item_3(&g, len, v, a, b, y);
        break;
      default:
        tenon_row_s8_item_4(&g, len, v, a, b, y);
        break;
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_FULLY_CONNECTED_ROW_S8_OPT_H
