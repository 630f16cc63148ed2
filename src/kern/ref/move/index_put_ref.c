// index_put_ref.c - x with values written at the places that index tensors of
// one shape select. Later ones come after earlier ones.
//
// The scratch area counts, per element, what was put there, where the old
// element does not count or a mean is wanted.
#include "kern/loop/select.h"

#define INDEX_PUT_REF(t)                                                      \
  static void index_put_ref_##t(const tenon_call *c, ptrdiff_t to,            \
                                ptrdiff_t from, ptrdiff_t n) {                \
    const tenon_index_put_attrs *a = (const tenon_index_put_attrs *)c->attrs; \
    const int64_t mode = a->mode;                                             \
    const void *values = c->in[1].data;                                       \
    void *y = c->out[0].data;                                                 \
    int32_t *counts = (int32_t *)c->scratch;                                  \
    /* Sums of rows: nothing is asked for an element. */                      \
    if (mode == TENON_SCATTER_ADD && !counts) {                               \
      for (ptrdiff_t i = 0; i < n; ++i)                                       \
        tenon_scatter_put_##t(y, to + i, values, from + i, TENON_SCATTER_ADD, \
                              false);                                         \
      return;                                                                 \
    }                                                                         \
    for (ptrdiff_t i = 0; i < n; ++i) {                                       \
      bool is_first = counts && !a->include_self && counts[to + i] == 0;      \
      tenon_scatter_put_##t(y, to + i, values, from + i, mode, is_first);     \
      if (counts) ++counts[to + i];                                           \
    }                                                                         \
  }                                                                           \
  static void index_put_ref_mean_##t(const tenon_call *c, ptrdiff_t n) {      \
    const tenon_index_put_attrs *a = (const tenon_index_put_attrs *)c->attrs; \
    const int32_t *counts = (const int32_t *)c->scratch;                      \
    for (ptrdiff_t i = 0; i < n; ++i) {                                       \
      if (counts[i])                                                          \
        tenon_scatter_divide_##t(c->out[0].data, i,                           \
                                 counts[i] + (a->include_self ? 1 : 0));      \
    }                                                                         \
  }
TENON_PLAIN_ALL(INDEX_PUT_REF)

static tenon_status index_put_ref_all(const tenon_call *c,
                                      const tenon_indexed *g) {
  const tenon_index_put_attrs *a = (const tenon_index_put_attrs *)c->attrs;
  const ptrdiff_t size = tenon_element_size(&c->in[0]), block = g->block;
  const ptrdiff_t total = (ptrdiff_t)tenon_count(&c->in[1]);
  unsigned char *y = (unsigned char *)c->out[0].data;
  const unsigned char *values = (const unsigned char *)c->in[1].data;
  if (block == 0 || g->count == 0) return TENON_OK;
  for (ptrdiff_t i = 0; i < total / block; ++i) {
    ptrdiff_t to;
    tenon_status status = tenon_indexed_at(c, g, a->wrap, i % g->count, &to);
    if (status) return status;
    to = (to + i / g->count * g->span) * block;
    if (a->mode == TENON_SCATTER_SET) {
      memcpy(y + to * size, values + i * block * size, (size_t)(block * size));
      continue;
    }
#define INDEX_PUT_REF_RUN(t) index_put_ref_##t(c, to, i *block, block)
    TENON_PLAIN_SWITCH(c->in[0].dtype, INDEX_PUT_REF_RUN)
  }
  return TENON_OK;
}

TENON_KERNEL(tenon_k_index_put_ref) {
  const tenon_index_put_attrs *a = (const tenon_index_put_attrs *)c->attrs;
  const tenon_indexed g =
      tenon_indexed_of(&c->in[0], &c->in[2], c->n_in - 2, a->axis);
  const ptrdiff_t n = (ptrdiff_t)tenon_count(&c->in[0]);
  tenon_status status;
  if (c->out[0].data != c->in[0].data && n)
    memcpy(c->out[0].data, c->in[0].data,
           (size_t)(n * tenon_element_size(&c->in[0])));
  if (c->scratch) memset(c->scratch, 0, (size_t)n * sizeof(int32_t));
  status = index_put_ref_all(c, &g);
  if (status || a->mode != TENON_SCATTER_MEAN) return status;
#define INDEX_PUT_REF_MEAN(t) index_put_ref_mean_##t(c, n)
  TENON_PLAIN_SWITCH(c->in[0].dtype, INDEX_PUT_REF_MEAN)
  return TENON_OK;
}
