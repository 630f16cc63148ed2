// as_strided_ref.c - a window of any strides on dense x, for elements of whole
// bytes.
//
// Items are elements of the result.
#include "kern/loop/select.h"

TENON_KERNEL_RANGE(tenon_k_as_strided_ref) {
  const tenon_as_strided_attrs *a = (const tenon_as_strided_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const ptrdiff_t size = tenon_element_size(x), n = (ptrdiff_t)tenon_count(x);
  const unsigned char *from = (const unsigned char *)x->data;
  unsigned char *to = (unsigned char *)y->data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    ptrdiff_t at = (ptrdiff_t)a->offset, rest = i;
    for (int32_t d = y->rank - 1; d >= 0; rest /= y->dims[d], --d)
      at += rest % y->dims[d] * (ptrdiff_t)a->stride.data[d];
    if (at < 0 || at >= n)
      return tenon_call_fail(c, "element {0} of {1}", (int64_t)at, (int64_t)n);
    memcpy(to + i * size, from + at * size, (size_t)size);
  }
  return TENON_OK;
}
