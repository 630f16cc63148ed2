// pad_ref.c - a border of one value, for elements of whole bytes.
//
// Items are rows of the result: its last dimension. The packed element is a
// source that is not stepped over.
#include "kern/op/pad.h"

TENON_KERNEL_RANGE(tenon_k_pad_ref) {
  const tenon_pad_attrs *a = (const tenon_pad_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const ptrdiff_t size = tenon_element_size(x);
  const unsigned char *fill = (const unsigned char *)c->packed;
  const int32_t last = x->rank - 1;
  const ptrdiff_t width = x->rank ? y->dims[last] : 1;
  const ptrdiff_t n = x->rank ? x->dims[last] : 1;
  const ptrdiff_t before = x->rank ? (ptrdiff_t)a->before.data[last] : 0;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const ptrdiff_t at = tenon_pad_row(c, last, n, row);
    unsigned char *to = (unsigned char *)y->data + row * width * size;
    tenon_copy_elements(to, 1, fill, 0, at < 0 ? width : before, size);
    if (at < 0) continue;
    to += before * size;
    memcpy(to, (const unsigned char *)x->data + at * size, (size_t)(n * size));
    tenon_copy_elements(to + n * size, 1, fill, 0, width - before - n, size);
  }
  return TENON_OK;
}
