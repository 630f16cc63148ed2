// as_strided_ref.c - a window of any strides on dense x, for elements of whole
// bytes.
//
// Items are elements of the result; those along its last dimension go together.
#include "kern/loop/element.h"
#include "kern/loop/select.h"

TENON_KERNEL_RANGE(tenon_k_as_strided_ref) {
  const tenon_as_strided_attrs *a = (const tenon_as_strided_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const ptrdiff_t size = tenon_element_size(x), n = (ptrdiff_t)tenon_count(x);
  const unsigned char *from = (const unsigned char *)x->data;
  unsigned char *to = (unsigned char *)y->data;
  const int32_t last = y->rank - 1;
  const ptrdiff_t width = last < 0 ? 1 : y->dims[last];
  const ptrdiff_t step = last < 0 ? 1 : (ptrdiff_t)a->stride.data[last];
  for (ptrdiff_t i = (ptrdiff_t)begin, some; i < (ptrdiff_t)end; i += some) {
    const ptrdiff_t col = i % width;
    ptrdiff_t at = (ptrdiff_t)a->offset + col * step, rest = i / width;
    some = width - col < (ptrdiff_t)end - i ? width - col : (ptrdiff_t)end - i;
    for (int32_t d = last - 1; d >= 0; rest /= y->dims[d], --d)
      at += rest % y->dims[d] * (ptrdiff_t)a->stride.data[d];
    const ptrdiff_t far = at + (some - 1) * step;
    if (at < 0 || at >= n || far < 0 || far >= n) {
      while (at >= 0 && at < n)
        at += step;
      return tenon_call_fail(c, "element {0} of {1}", (int64_t)at, (int64_t)n);
    }
    tenon_copy_elements(to + i * size, 1, from + at * size, step, some, size);
  }
  return TENON_OK;
}
