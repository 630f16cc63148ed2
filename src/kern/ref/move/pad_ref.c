// pad_ref.c - a border of one value, for elements of whole bytes.
//
// Items are rows of the result: its last dimension. The packed element is a
// source that is not stepped over.
#include "kern/loop/element.h"
#include "kern/op/move.h"

// Where row `row` of the result, of dimensions from `last` on, lies in x, in
// elements; -1: in the border.
static ptrdiff_t pad_ref_row(const tenon_pad_attrs *a, const tenon_tensor *x,
                             const tenon_tensor *y, int32_t last, ptrdiff_t n,
                             ptrdiff_t row) {
  ptrdiff_t at = 0, below = n;
  for (int32_t d = last - 1; d >= 0; row /= y->dims[d], --d) {
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
  // Last dimensions without a border make one row with the one in front.
  int32_t last = x->rank - 1;
  ptrdiff_t i = (ptrdiff_t)begin * y->dims[last], below = 1;
  const ptrdiff_t stop = (ptrdiff_t)end * y->dims[last];
  for (; last > 0 && x->dims[last] == y->dims[last]; --last)
    below *= x->dims[last];
  const ptrdiff_t width = y->dims[last] * below, n = x->dims[last] * below;
  const ptrdiff_t before = (ptrdiff_t)a->before.data[last] * below;
  to += i * size;
  while (i < stop) {
    // As far as the border before, the row of x, or the border behind it.
    const ptrdiff_t at = pad_ref_row(a, x, y, last, n, i / width);
    const ptrdiff_t col = i % width - before;
    const bool is_in = at >= 0 && col >= 0 && col < n;
    ptrdiff_t some = is_in                ? n - col
                     : at >= 0 && col < 0 ? -col
                                          : width - i % width;
    if (some > stop - i) some = stop - i;
    if (is_in)
      memcpy(to, from + (at + col) * size, (size_t)(some * size));
    else if (size == 1)
      memset(to, *fill, (size_t)some);
    else
      tenon_copy_elements(to, 1, fill, 0, some, size);
    to += some * size;
    i += some;
  }
  return TENON_OK;
}
