// kern/opt/pad_opt.h - core::pad in plain C: rows as long as they can be, and
// short ones. Items are rows of the result: its last dimension.
//
// Rows are asked for where they lie once for all along the dimension in front.
#ifndef TENON_KERN_PAD_OPT_H
#define TENON_KERN_PAD_OPT_H

#include "kern/op/pad.h"

enum { TENON_PAD_ROWS = 512 };

// Rows of the result from dimension `last` on, in elements, and the dimension
// in front of them, of one line if there is none.
typedef struct tenon_pad_rows {
  int32_t along;
  ptrdiff_t width, n, before;        // of the result, of x, where x begins
  ptrdiff_t lines, of_lines, ahead;  // the same of lines
} tenon_pad_rows;

// `below`: elements of what is behind dimension `last`, which has no border.
TENON_INLINE tenon_pad_rows tenon_pad_rows_of(const tenon_call *c, int32_t last,
                                              ptrdiff_t below) {
  const tenon_pad_attrs *a = (const tenon_pad_attrs *)c->attrs;
  const int32_t *x = c->in[0].dims, *y = c->out[0].dims;
  tenon_pad_rows r;
  r.along = last > 0 ? last - 1 : 0;
  r.width = y[last] * below;
  r.n = x[last] * below;
  r.before = (ptrdiff_t)a->before.data[last] * below;
  r.lines = last > 0 ? y[r.along] : 1;
  r.of_lines = last > 0 ? x[r.along] : 1;
  r.ahead = last > 0 ? (ptrdiff_t)a->before.data[r.along] : 0;
  return r;
}

// Elements lie at multiples of their size, which lets machines that load words
// only from there move one at once. Hosts do without, where gcc's loops of wide
// builds take 1.6 times as long with it.
#if defined(__GNUC__) && !defined(TENON_WIDE_LOOPS)
#define TENON_PAD_AT(p, bytes) \
  __builtin_assume_aligned(p, (bytes) < 4 ? (bytes) : 4)
#else
#define TENON_PAD_AT(p, bytes) (p)
#endif

// n elements of `size` bytes, all the same; copies of known size are no calls.
TENON_INLINE void tenon_pad_fill(unsigned char *to, const unsigned char *fill,
                                 ptrdiff_t n, ptrdiff_t size) {
#define TENON_PAD_FILL(T)                                           \
  case sizeof(T): {                                                 \
    T value;                                                        \
    memcpy(&value, TENON_PAD_AT(fill, sizeof value), sizeof value); \
    for (; n > 0; --n, to += sizeof value)                          \
      memcpy(TENON_PAD_AT(to, sizeof value), &value, sizeof value); \
    break;                                                          \
  }
  switch (size) {
    case 1:
      if (n > 0) memset(to, *fill, (size_t)n);
      break;
      TENON_PAD_FILL(uint16_t)
      TENON_PAD_FILL(uint32_t)
      TENON_PAD_FILL(uint64_t)
    default:
      tenon_copy_elements(to, 1, fill, 0, n, size);
  }
}

// `some` elements of a row, of which `from` is the first if it is 0; of the
// border alone without `from`. x has n of them.
TENON_INLINE void tenon_pad_piece(unsigned char *to, const unsigned char *from,
                                  const unsigned char *fill, ptrdiff_t first,
                                  ptrdiff_t some, ptrdiff_t n, ptrdiff_t size) {
  if (from && first < n && first + some > 0) {
    if (first < 0) {
      tenon_pad_fill(to, fill, -first, size);
      to -= first * size;
      some += first;
      first = 0;
    }
    n = some < n - first ? some : n - first;
    memcpy(to, from + first * size, (size_t)(n * size));
    to += n * size;
    some -= n;
  }
  tenon_pad_fill(to, fill, some, size);
}

// Last dimensions without a border make one row with the one in front.
TENON_INLINE tenon_status tenon_pad_run(const tenon_call *c, int64_t begin,
                                        int64_t end) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const ptrdiff_t size = tenon_element_size(x);
  const unsigned char *fill = (const unsigned char *)c->packed;
  int32_t last = x->rank - 1;
  ptrdiff_t i = (ptrdiff_t)begin * y->dims[last], below = 1;
  const ptrdiff_t stop = (ptrdiff_t)end * y->dims[last];
  for (; last > 0 && x->dims[last] == y->dims[last]; --last)
    below *= x->dims[last];
  const tenon_pad_rows r = tenon_pad_rows_of(c, last, below);
  unsigned char *to = (unsigned char *)y->data + i * size;
  while (i < stop) {
    ptrdiff_t first = i % r.width, line = i / r.width % r.lines;
    const ptrdiff_t at =
        tenon_pad_row(c, r.along, r.of_lines * r.n, i / r.width / r.lines);
    for (; line < r.lines && i < stop; ++line, first = 0) {
      const bool is_in =
          at >= 0 && line >= r.ahead && line - r.ahead < r.of_lines;
      const ptrdiff_t some =
          r.width - first < stop - i ? r.width - first : stop - i;
      tenon_pad_piece(to,
                      is_in ? (const unsigned char *)x->data +
                                  (at + (line - r.ahead) * r.n) * size
                            : NULL,
                      fill, first - r.before, some, r.n, size);
      to += some * size;
      i += some;
    }
  }
  return TENON_OK;
}

// n elements of `size` bytes; steps are in elements.
TENON_INLINE void tenon_pad_spread(unsigned char *to, ptrdiff_t to_step,
                                   const unsigned char *from,
                                   ptrdiff_t from_step, ptrdiff_t n,
                                   ptrdiff_t size) {
#define TENON_PAD_SPREAD(bytes)                                          \
  case bytes:                                                            \
    for (; n > 0; --n, to += to_step * bytes, from += from_step * bytes) \
      memcpy(TENON_PAD_AT(to, bytes), TENON_PAD_AT(from, bytes), bytes); \
    break;
  switch (size) {
    TENON_PAD_SPREAD(1)
    TENON_PAD_SPREAD(2)
    TENON_PAD_SPREAD(4)
    TENON_PAD_SPREAD(8)
    default:
      tenon_copy_elements(to, to_step, from, from_step, n, size);
  }
}

// Rows of x of a few elements, with a border: all becomes the border, and over
// that goes x, an element of each row along the dimension in front.
TENON_INLINE void tenon_pad_few(const tenon_call *c, ptrdiff_t row,
                                ptrdiff_t end) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const ptrdiff_t size = tenon_element_size(x);
  const tenon_pad_rows r = tenon_pad_rows_of(c, x->rank - 1, 1);
  unsigned char *to = (unsigned char *)y->data + row * r.width * size;
  tenon_pad_fill(to, (const unsigned char *)c->packed, (end - row) * r.width,
                 size);
  to += r.before * size;
  for (ptrdiff_t some; row < end; row += some, to += some * r.width * size) {
    const ptrdiff_t line = row % r.lines;
    some = r.lines - line < end - row ? r.lines - line : end - row;
    const ptrdiff_t first = line < r.ahead ? r.ahead - line : 0;
    ptrdiff_t stop = r.ahead + r.of_lines - line;
    if (stop > some) stop = some;
    const ptrdiff_t at =
        tenon_pad_row(c, r.along, r.of_lines * r.n, row / r.lines);
    if (at < 0 || first >= stop) continue;
    const unsigned char *from = (const unsigned char *)x->data +
                                (at + (line + first - r.ahead) * r.n) * size;
    for (ptrdiff_t k = 0; k < r.n; ++k)
      tenon_pad_spread(to + (first * r.width + k) * size, r.width,
                       from + k * size, r.n, stop - first, size);
  }
}

// So many rows at once that they are still near when x goes over their border.
TENON_INLINE tenon_status tenon_pad_few_run(const tenon_call *c, int64_t begin,
                                            int64_t end) {
  for (int64_t some; begin < end; begin += some) {
    some = end - begin < TENON_PAD_ROWS ? end - begin : TENON_PAD_ROWS;
    tenon_pad_few(c, (ptrdiff_t)begin, (ptrdiff_t)(begin + some));
  }
  return TENON_OK;
}

#endif  // TENON_KERN_PAD_OPT_H
