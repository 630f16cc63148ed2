// kern/opt/product/fully_connected_row_f32_opt.h - one row by a transposed
// matrix, in floats.
//
// It is bound by how its weights come from the second-level cache. Those of a
// group of channels lie side by side, step by step, and are read from one end
// to the other: from such a stream lines come twice as fast as from as many
// streams as there are panels. Two steps at a time.
#ifndef TENON_KERN_OPT_FULLY_CONNECTED_ROW_F32_OPT_H
#define TENON_KERN_OPT_FULLY_CONNECTED_ROW_F32_OPT_H

#include "kern/opt/tiles/items.h"
#include "kern/opt/tiles/row_f32.h"
#include "kern/product/conv.h"

// All registers that a group has.
#define TENON_LINE(nv)                                                   \
  TENON_APART void tenon_row_f32_line_##nv(const tenon_gemm_f32 *g,      \
                                           ptrdiff_t k, ptrdiff_t v,     \
                                           const float *x, float *y) {   \
    tenon_row_f32_tile(nv, nv *TENON_VL, TENON_VL, true, g, k, v, x, y); \
  }
#define TENON_EACH_LINE(X) X(1) X(2) X(3) X(4)
TENON_EACH_LINE(TENON_LINE)
#undef TENON_LINE

TENON_INLINE tenon_status tenon_fully_connected_row_f32_run(const tenon_call *c,
                                                            int64_t begin,
                                                            int64_t end) {
  const tenon_matrix p = tenon_matrix_of(c);
  const tenon_gemm_f32 gemm = tenon_gemm_f32_of(c->packed, p.k, p.n);
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  for (ptrdiff_t i = begin; i < end; ++i) {
    const ptrdiff_t v = tenon_group_begin(i);
    switch (tenon_group_end(i, p.n) - v) {
#define TENON_LINE(nv)                            \
  case nv:                                        \
    tenon_row_f32_line_##nv(&gemm, p.k, v, x, y); \
    break;
      TENON_EACH_LINE(TENON_LINE)
#undef TENON_LINE
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_FULLY_CONNECTED_ROW_F32_OPT_H
