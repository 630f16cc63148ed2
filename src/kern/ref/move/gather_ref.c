// gather_ref.c - along one axis, the elements at the places that an index
// tensor gives, for elements of whole bytes. An index counts from the start.
//
// Items are elements of the result.
#include "kern/loop/select.h"

TENON_KERNEL_RANGE(tenon_k_gather_ref) {
  const tenon_gather_attrs *a = (const tenon_gather_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const ptrdiff_t size = tenon_element_size(x);
  const int32_t axis = (int32_t)a->axis;
  const unsigned char *from = (const unsigned char *)x->data;
  unsigned char *to = (unsigned char *)y->data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    const int64_t index = tenon_index_load(&c->in[1], i);
    const int64_t most = x->rank ? x->dims[axis] : 1;
    ptrdiff_t at = 0, step = 1, rest = i;
    if (index < 0 || index >= most)
      return tenon_call_fail(c, "index {0} of a dimension of {1}", index, most);
    for (int32_t d = x->rank - 1; d >= 0; --d) {
      at += (d == axis ? (ptrdiff_t)index : rest % y->dims[d]) * step;
      step *= x->dims[d];
      rest /= y->dims[d];
    }
    memcpy(to + i * size, from + at * size, (size_t)size);
  }
  return TENON_OK;
}
