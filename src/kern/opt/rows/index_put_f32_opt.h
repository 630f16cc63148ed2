// kern/opt/rows/index_put_f32_opt.h - core::index_put of floats that adds, a
// register of a row at a time: each element as the reference kernel has it,
// later values behind earlier ones.
//
// Which row comes next is in the indices, so items are columns of all rows:
// every range goes through all indices.
#ifndef TENON_KERN_OPT_INDEX_PUT_F32_OPT_H
#define TENON_KERN_OPT_INDEX_PUT_F32_OPT_H

#include "kern/loop/columns.h"
#include "kern/opt/vectors.h"

TENON_FLAT void tenon_index_put_add(float *y, const float *x, ptrdiff_t n) {
  ptrdiff_t i = 0;
  for (; i + TENON_VL <= n; i += TENON_VL)
    tenon_vf_store(y + i, tenon_vf_load(y + i) + tenon_vf_load(x + i));
  if (i < n)
    tenon_vf_store_part(
        y + i,
        tenon_vf_load_part(y + i, n - i) + tenon_vf_load_part(x + i, n - i),
        n - i);
}

TENON_FLAT tenon_status tenon_index_put_f32_run(const tenon_call *c,
                                                int64_t begin, int64_t end) {
  const tenon_index_put_attrs *a = (const tenon_index_put_attrs *)c->attrs;
  const tenon_indexed g =
      tenon_indexed_of(&c->in[0], &c->in[2], c->n_in - 2, a->axis);
  const ptrdiff_t block = g.block, first = (ptrdiff_t)begin * TENON_COLUMNS;
  const ptrdiff_t most = (ptrdiff_t)end * TENON_COLUMNS;
  const ptrdiff_t n = (most < block ? most : block) - first;
  if (begin >= end || n <= 0) return TENON_OK;
  const ptrdiff_t rows = (ptrdiff_t)tenon_count(&c->in[0]) / block;
  const ptrdiff_t values = (ptrdiff_t)tenon_count(&c->in[1]) / block;
  const float *from = (const float *)c->in[1].data + first;
  float *y = (float *)c->out[0].data + first;
  if (c->out[0].data != c->in[0].data) {
    const float *x = (const float *)c->in[0].data + first;
    if (n == block)
      memcpy(y, x, (size_t)(rows * block) * sizeof *y);
    else
      for (ptrdiff_t i = 0; i < rows; ++i)
        memcpy(y + i * block, x + i * block, (size_t)n * sizeof *y);
  }
  for (ptrdiff_t i = 0, k = 0; i < values; ++i, from += block) {
    ptrdiff_t at;
    const tenon_status status = tenon_indexed_at(c, &g, a->wrap, k, &at);
    if (status) return status;
    tenon_index_put_add(y + at * block, from, n);
    if (++k < g.count) continue;
    k = 0;
    y += g.span * block;
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_INDEX_PUT_F32_OPT_H
