// gather_ref.c - along one axis, the elements at the places that an index
// tensor gives, for elements of whole bytes. An index counts from the start.
//
// Items are elements of the result.
#include "kern/loop/select.h"

TENON_KERNEL_RANGE(tenon_k_gather_ref) {
  const tenon_gather_attrs *a = (const tenon_gather_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const ptrdiff_t size = tenon_element_size(x);
  const int32_t axis = (int32_t)a->axis, last = x->rank - 1;
  const int64_t most = x->rank ? x->dims[axis] : 1;
  const ptrdiff_t row = x->rank ? y->dims[last] : 1;
  const unsigned char *from = (const unsigned char *)x->data;
  unsigned char *to = (unsigned char *)y->data;
  // Where index 0 of a row's first element is, and what an index and an element
  // further along the row add.
  ptrdiff_t at = 0, along = 1, step = 1, beside = axis == last ? 0 : 1;
  for (int32_t d = last; d > axis; --d)
    along *= x->dims[d];
  for (ptrdiff_t i = (ptrdiff_t)begin, k = row; i < (ptrdiff_t)end; ++i, ++k) {
    const int64_t index = tenon_index_load(&c->in[1], i);
    if (k == row || i == (ptrdiff_t)begin) {
      ptrdiff_t rest = i / row;
      k = i % row;
      at = 0;
      step = x->rank ? x->dims[last] : 1;
      for (int32_t d = last - 1; d >= 0; --d) {
        if (d != axis) at += rest % y->dims[d] * step;
        step *= x->dims[d];
        rest /= y->dims[d];
      }
    }
    if (index < 0 || index >= most)
      return tenon_call_fail(c, "index {0} of a dimension of {1}", index, most);
    const unsigned char *element =
        from + (at + (ptrdiff_t)index * along + k * beside) * size;
    if (size == 4)
      memcpy(to + i * size, element, 4);
    else
      memcpy(to + i * size, element, (size_t)size);
  }
  return TENON_OK;
}
