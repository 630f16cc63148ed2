// expand_ref.c - dimensions of size one repeated, and new ones in front, for
// elements of whole bytes.
//
// Items are elements of the result. Those that lie in a row of the operand, and
// those that repeat one, are copied as runs.
#include "kern/loop/element.h"

TENON_KERNEL_RANGE(tenon_k_expand_ref) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const ptrdiff_t size = tenon_element_size(x);
  const int32_t added = y->rank - x->rank;
  const unsigned char *from = (const unsigned char *)x->data;
  unsigned char *to = (unsigned char *)y->data;
  ptrdiff_t run = 1, below = 1;
  int32_t d = x->rank - 1;
  while (d >= 0 && y->dims[d + added] == 1)
    --d;
  // As many of the last dimensions as are repeated, or as are not.
  const bool repeats = d < 0 || x->dims[d] != y->dims[d + added];
  for (; d >= 0; --d) {
    const ptrdiff_t n = y->dims[d + added];
    if (n != 1 && (x->dims[d] != n) != repeats) break;
    run *= n;
    below *= x->dims[d];
  }
  if (d < 0 && repeats) run = (ptrdiff_t)tenon_count(y);
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end;) {
    ptrdiff_t at = 0, step = below, rest = i / run, n = run - i % run;
    for (int32_t k = d; k >= 0; --k) {
      if (x->dims[k] != 1) at += rest % y->dims[k + added] * step;
      rest /= y->dims[k + added];
      step *= x->dims[k];
    }
    if (n > (ptrdiff_t)end - i) n = (ptrdiff_t)end - i;
    if (!repeats) at += i % run;
    tenon_copy_elements(to + i * size, 1, from + at * size, repeats ? 0 : 1, n,
                        size);
    i += n;
  }
  return TENON_OK;
}
