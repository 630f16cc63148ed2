// pad_ref.c - a border of one value, for elements of whole bytes.
//
// Items are rows of the result: its last dimension. The packed element is a
// source that is not stepped over.
#include "kern/loop/element.h"
#include "kern/op/move.h"

// Rows of so many elements are moved an element of each after the other.
enum { PAD_REF_FEW = 4 };

static void pad_ref_fill(unsigned char *to, const unsigned char *fill,
                         ptrdiff_t n, ptrdiff_t size) {
  unsigned char value[4];
  if (size == 1) {
    memset(to, *fill, (size_t)n);
  } else if (size == 4) {
    memcpy(value, fill, 4);
    for (; n > 0; --n, to += 4)
      memcpy(to, value, 4);
  } else {
    tenon_copy_elements(to, 1, fill, 0, n, size);
  }
}

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

// Rows from `row` to `stop` whose x has a few elements: all becomes the border,
// and over that goes x, along the dimension in front of the last.
static void pad_ref_few(const tenon_pad_attrs *a, const tenon_tensor *x,
                        const tenon_tensor *y, const unsigned char *fill,
                        ptrdiff_t row, ptrdiff_t stop, ptrdiff_t size) {
  const int32_t last = x->rank - 1, along = last - 1;
  const ptrdiff_t width = y->dims[last], n = x->dims[last];
  const ptrdiff_t lines = y->dims[along], from_lines = x->dims[along];
  const ptrdiff_t ahead = (ptrdiff_t)a->before.data[along];
  unsigned char *to = (unsigned char *)y->data + row * width * size;
  pad_ref_fill(to, fill, (stop - row) * width, size);
  to += (ptrdiff_t)a->before.data[last] * size;
  for (ptrdiff_t some; row < stop; row += some, to += some * width * size) {
    const ptrdiff_t line = row % lines;
    some = lines - line < stop - row ? lines - line : stop - row;
    const ptrdiff_t first = line < ahead ? ahead - line : 0;
    ptrdiff_t end = ahead + from_lines - line;
    if (end > some) end = some;
    const ptrdiff_t at =
        pad_ref_row(a, x, y, along, from_lines * n, row / lines);
    if (at < 0 || first >= end) continue;
    const unsigned char *from = (const unsigned char *)x->data +
                                (at + (line + first - ahead) * n) * size;
    for (ptrdiff_t k = 0; k < n; ++k)
      tenon_copy_elements(to + (first * width + k) * size, width,
                          from + k * size, n, end - first, size);
  }
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
  if (last > 0 && last == x->rank - 1 && n <= PAD_REF_FEW) {
    pad_ref_few(a, x, y, fill, (ptrdiff_t)begin, (ptrdiff_t)end, size);
    return TENON_OK;
  }
  to += i * size;
  while (i < stop) {
    // As far as the border before, the row of x, and the border behind it.
    const ptrdiff_t at = pad_ref_row(a, x, y, last, n, i / width);
    const ptrdiff_t first = i % width;
    ptrdiff_t some = width - first < stop - i ? width - first : stop - i;
    ptrdiff_t col = first - before;
    i += some;
    if (at >= 0 && col < n && col + some > 0) {
      if (col < 0) {
        pad_ref_fill(to, fill, -col, size);
        to -= col * size;
        some += col;
        col = 0;
      }
      const ptrdiff_t inside = some < n - col ? some : n - col;
      memcpy(to, from + (at + col) * size, (size_t)(inside * size));
      to += inside * size;
      some -= inside;
    }
    pad_ref_fill(to, fill, some, size);
    to += some * size;
  }
  return TENON_OK;
}
