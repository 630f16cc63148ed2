// scatter_ref.c - x with elements of a source written along one axis, at the
// places that an index tensor gives. An index counts from the start; later ones
// come after earlier ones.
//
// The scratch area counts, per element, what was put there, where the old
// element does not count or a mean is wanted.
#include "kern/loop/select.h"

// Where element i of the index tensor goes to in y, and comes from in src.
static tenon_status scatter_ref_at(const tenon_call *c, int32_t axis,
                                   ptrdiff_t i, ptrdiff_t *to,
                                   ptrdiff_t *from) {
  const tenon_tensor *y = &c->out[0], *index = &c->in[1], *src = &c->in[2];
  const int64_t place = tenon_index_load(index, i);
  const int64_t most = y->rank ? y->dims[axis] : 1;
  ptrdiff_t y_step = 1, src_step = 1;
  *to = *from = 0;
  if (place < 0 || place >= most)
    return tenon_call_fail(c, "index {0} of a dimension of {1}", place, most);
  for (int32_t d = y->rank - 1; d >= 0; --d) {
    const ptrdiff_t at = i % index->dims[d];
    *to += (d == axis ? (ptrdiff_t)place : at) * y_step;
    *from += at * src_step;
    y_step *= y->dims[d];
    src_step *= src->rank ? src->dims[d] : 0;
    i /= index->dims[d];
  }
  if (src->rank == 0) *from = 0;
  return TENON_OK;
}

#define SCATTER_REF(t)                                                        \
  static tenon_status scatter_ref_##t(const tenon_call *c) {                  \
    const tenon_scatter_attrs *a = (const tenon_scatter_attrs *)c->attrs;     \
    const ptrdiff_t n = (ptrdiff_t)tenon_count(&c->in[1]);                    \
    const ptrdiff_t n_y = (ptrdiff_t)tenon_count(&c->out[0]);                 \
    int32_t *counts = (int32_t *)c->scratch;                                  \
    for (ptrdiff_t i = 0; i < n; ++i) {                                       \
      ptrdiff_t to, from;                                                     \
      tenon_status status =                                                   \
          scatter_ref_at(c, (int32_t)a->axis, i, &to, &from);                 \
      if (status) return status;                                              \
      bool is_first = counts && !a->include_self && counts[to] == 0;          \
      tenon_scatter_put_##t(c->out[0].data, to, c->in[2].data, from, a->mode, \
                            is_first);                                        \
      if (counts) ++counts[to];                                               \
    }                                                                         \
    for (ptrdiff_t i = 0; a->mode == TENON_SCATTER_MEAN && i < n_y; ++i) {    \
      if (counts[i])                                                          \
        tenon_scatter_divide_##t(c->out[0].data, i,                           \
                                 counts[i] + (a->include_self ? 1 : 0));      \
    }                                                                         \
    return TENON_OK;                                                          \
  }
TENON_PLAIN_ALL(SCATTER_REF)

TENON_KERNEL(tenon_k_scatter_ref) {
  const ptrdiff_t n = (ptrdiff_t)tenon_count(&c->in[0]);
  if (c->out[0].data != c->in[0].data && n)
    memcpy(c->out[0].data, c->in[0].data,
           (size_t)(n * tenon_element_size(&c->in[0])));
  if (c->scratch) memset(c->scratch, 0, (size_t)n * sizeof(int32_t));
#define SCATTER_REF_RUN(t) return scatter_ref_##t(c)
  TENON_PLAIN_SWITCH(c->in[0].dtype, SCATTER_REF_RUN)
  return TENON_OK;
}
