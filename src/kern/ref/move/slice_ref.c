// slice_ref.c - every step-th element from begin, for elements of whole bytes.
//
// Items are rows of the result: its last dimension.
#include "kern/loop/element.h"
#include "kern/op/move.h"

TENON_KERNEL_RANGE(tenon_k_slice_ref) {
  const tenon_slice_attrs *a = (const tenon_slice_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const ptrdiff_t size = tenon_element_size(x);
  const int32_t last = x->rank - 1;
  ptrdiff_t step[TENON_MAX_RANK], first = 0, below = 1;
  const unsigned char *from = (const unsigned char *)x->data;
  unsigned char *to = (unsigned char *)y->data;
  if (x->rank == 0) {
    memcpy(to, from, (size_t)size);
    return TENON_OK;
  }
  for (int32_t d = last; d >= 0; below *= x->dims[d], --d) {
    first += (ptrdiff_t)a->begin.data[d] * below;
    step[d] = (ptrdiff_t)a->step.data[d] * below;
  }
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    ptrdiff_t i = row, at = first;
    for (int32_t d = last - 1; d >= 0; i /= y->dims[d], --d)
      at += i % y->dims[d] * step[d];
    tenon_copy_elements(to + row * y->dims[last] * size, 1, from + at * size,
                        step[last], y->dims[last], size);
  }
  return TENON_OK;
}
