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
  // Which index is next, and where what is in front of them lies.
  ptrdiff_t k = g.count ? (ptrdiff_t)begin % g.count : 0;
  ptrdiff_t front = g.count ? (ptrdiff_t)begin / g.count * g.span : 0;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    ptrdiff_t at;
    tenon_status status = tenon_indexed_at(c, &g, a->wrap, k, &at);
    if (status) return status;
    at += front;
    // A copy of known size is one move; of any other, a call.
    if (bytes == 4)
      memcpy(to + i * 4, from + at * 4, 4);
    else if (bytes)
      memcpy(to + i * bytes, from + at * bytes, (size_t)bytes);
    if (++k < g.count) continue;
    k = 0;
    front += g.span;
  }
  return TENON_OK;
}
