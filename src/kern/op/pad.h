// kern/op/pad.h - core::pad: where rows of the result lie in the operand.
#ifndef TENON_KERN_PAD_H
#define TENON_KERN_PAD_H

#include "kern/loop/element.h"
#include "kern/op/move.h"

// Where row `row` of the result, of dimensions from `last` on, lies in x, in
// elements, if such a row of x has n; -1: in the border.
TENON_INLINE ptrdiff_t tenon_pad_row(const tenon_call *c, int32_t last,
                                     ptrdiff_t n, ptrdiff_t row) {
  const tenon_pad_attrs *a = (const tenon_pad_attrs *)c->attrs;
  const int32_t *x = c->in[0].dims, *y = c->out[0].dims;
  ptrdiff_t at = 0;
  for (int32_t d = last - 1; d >= 0; row /= y[d], n *= x[d], --d) {
    const ptrdiff_t i = row % y[d] - (ptrdiff_t)a->before.data[d];
    if (i < 0 || i >= x[d]) return -1;
    at += i * n;
  }
  return at;
}

#endif  // TENON_KERN_PAD_H
