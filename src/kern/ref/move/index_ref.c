// index_ref.c - the elements that index tensors of one shape select, for
// elements of whole bytes.
//
// Items are blocks of the result: what lies behind the indexed dimensions.
#include "kern/loop/select.h"

TENON_KERNEL_RANGE(tenon_k_index_ref) {
  const tenon_index_attrs *a = (const tenon_index_attrs *)c->attrs;
  const tenon_indexed g =
      tenon_indexed_of(&c->in[0], &c->in[1], c->n_in - 1, a->axis);
  const ptrdiff_t bytes = g.block * tenon_element_size(&c->in[0]);
  const unsigned char *from = (const unsigned char *)c->in[0].data;
  unsigned char *to = (unsigned char *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    ptrdiff_t at;
    tenon_status status = tenon_indexed_at(c, &g, a->wrap, i % g.count, &at);
    if (status) return status;
    at += i / g.count * g.span;
    if (bytes) memcpy(to + i * bytes, from + at * bytes, (size_t)bytes);
  }
  return TENON_OK;
}
