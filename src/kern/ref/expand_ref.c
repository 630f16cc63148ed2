// expand_ref.c - dimensions of size one repeated, and new ones in front, for
// elements of whole bytes.
//
// Items are elements of the result.
#include "kern/select.h"

TENON_KERNEL_RANGE(tenon_k_expand_ref) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const ptrdiff_t size = tenon_element_size(x);
  const int32_t added = y->rank - x->rank;
  const unsigned char *from = (const unsigned char *)x->data;
  unsigned char *to = (unsigned char *)y->data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    ptrdiff_t at = 0, step = 1, rest = i;
    for (int32_t d = x->rank - 1; d >= 0; --d) {
      if (x->dims[d] != 1) at += rest % y->dims[d + added] * step;
      rest /= y->dims[d + added];
      step *= x->dims[d];
    }
    memcpy(to + i * size, from + at * size, (size_t)size);
  }
  return TENON_OK;
}
