// pad_ref.c - a border of one value, for elements of whole bytes.
//
// Items are rows of the result: its last dimension. The packed element is a
// source that is not stepped over.
#include "kern/element.h"
#include "kern/move.h"

// Where row `row` of the result lies in x, in elements; -1: in the border.
static ptrdiff_t pad_ref_row(const tenon_pad_attrs *a, const tenon_tensor *x,
                             const tenon_tensor *y, ptrdiff_t row) {
  ptrdiff_t at = 0, below = x->dims[x->rank - 1];
  for (int32_t d = x->rank - 2; d >= 0; row /= y->dims[d], --d) {
    ptrdiff_t i = row % y->dims[d] - (ptrdiff_t)a->before.data[d];
    if (i < 0 || i >= x->dims[d]) return -1;
    at += i * below;
    below *= x->dims[d];
  }
  return at;
}

TENON_KERNEL_RANGE(tenon_k_pad_ref) {
  const tenon_pad_attrs *a = (const tenon_pad_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const ptrdiff_t size = tenon_element_size(x);
  const unsigned char *fill = (const unsigned char *)c->packed;
  const unsigned char *from = (const unsigned char *)x->data;
  unsigned char *to = (unsigned char *)y->data;
  if (x->rank == 0) {
    memcpy(to, from, (size_t)size);
    return TENON_OK;
  }
  const ptrdiff_t width = y->dims[x->rank - 1], n = x->dims[x->rank - 1];
  const ptrdiff_t before = (ptrdiff_t)a->before.data[x->rank - 1];
  to += (ptrdiff_t)begin * width * size;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    ptrdiff_t at = pad_ref_row(a, x, y, row);
    if (at < 0 || n == 0) {
      tenon_copy_elements(to, 1, fill, 0, width, size);
    } else {
      tenon_copy_elements(to, 1, fill, 0, before, size);
      tenon_copy_elements(to + before * size, 1, from + at * size, 1, n, size);
      tenon_copy_elements(to + (before + n) * size, 1, fill, 0,
                          width - before - n, size);
    }
    to += width * size;
  }
  return TENON_OK;
}
