// strided_update_ref.c - x with a source written through a window of any
// strides, for elements of whole bytes.
#include "kern/loop/select.h"

TENON_KERNEL(tenon_k_strided_update_ref) {
  const tenon_strided_update_attrs *a =
      (const tenon_strided_update_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0], *src = &c->in[1];
  const ptrdiff_t size = tenon_element_size(x), n = (ptrdiff_t)tenon_count(x);
  const ptrdiff_t count = (ptrdiff_t)tenon_count(src);
  const unsigned char *from = (const unsigned char *)src->data;
  unsigned char *to = (unsigned char *)c->out[0].data;
  if (c->out[0].data != x->data && n) memcpy(to, x->data, (size_t)(n * size));
  for (ptrdiff_t i = 0; i < count; ++i) {
    ptrdiff_t at = (ptrdiff_t)a->offset, rest = i;
    for (int32_t d = src->rank - 1; d >= 0; rest /= src->dims[d], --d)
      at += rest % src->dims[d] * (ptrdiff_t)a->stride.data[d];
    if (at < 0 || at >= n)
      return tenon_call_fail(c, "element {0} of {1}", (int64_t)at, (int64_t)n);
    memcpy(to + at * size, from + i * size, (size_t)size);
  }
  return TENON_OK;
}
