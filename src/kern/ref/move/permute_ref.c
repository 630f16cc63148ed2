// permute_ref.c - dimensions in another order, for elements of whole bytes.
//
// Items are rows of the result: its last dimension.
#include "kern/loop/element.h"
#include "kern/op/move.h"

TENON_KERNEL_RANGE(tenon_k_permute_ref) {
  const tenon_permute_attrs *a = (const tenon_permute_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const ptrdiff_t size = tenon_element_size(x);
  const int32_t last = x->rank - 1;
  ptrdiff_t below[TENON_MAX_RANK], step[TENON_MAX_RANK], n = 1;
  const unsigned char *from = (const unsigned char *)x->data;
  unsigned char *to = (unsigned char *)y->data;
  if (x->rank == 0) {
    memcpy(to, from, (size_t)size);
    return TENON_OK;
  }
  for (int32_t d = last; d >= 0; n *= x->dims[d], --d)
    below[d] = n;
  for (int32_t d = 0; d <= last; ++d)
    step[d] = below[a->dims.data[d] < 0 ? a->dims.data[d] + x->rank
                                        : a->dims.data[d]];
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    ptrdiff_t i = row, at = 0;
    for (int32_t d = last - 1; d >= 0; i /= y->dims[d], --d)
      at += i % y->dims[d] * step[d];
    tenon_copy_elements(to + row * y->dims[last] * size, 1, from + at * size,
                        step[last], y->dims[last], size);
  }
  return TENON_OK;
}
