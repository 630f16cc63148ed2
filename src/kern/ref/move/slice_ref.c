// slice_ref.c - every step-th element from begin, for elements of whole bytes.
//
// Items are rows of the result: its last dimension. Rows whose elements lie at
// one distance in the operand, from row to row as well, are copied as one run,
// and from run to run there is no division.
#include "kern/loop/element.h"
#include "kern/op/move.h"

TENON_KERNEL_RANGE(tenon_k_slice_ref) {
  const tenon_slice_attrs *a = (const tenon_slice_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const ptrdiff_t size = tenon_element_size(x);
  const int32_t last = x->rank - 1;
  ptrdiff_t step[TENON_MAX_RANK], first = 0, below = 1;
  const unsigned char *from = (const unsigned char *)x->data;
  unsigned char *to = (unsigned char *)y->data;
  if (x->rank == 0) {
    memcpy(to, from, (size_t)size);
    return TENON_OK;
  }
  for (int32_t d = last; d >= 0; below *= x->dims[d], --d) {
    first += (ptrdiff_t)a->begin.data[d] * below;
    step[d] = (ptrdiff_t)a->step.data[d] * below;
  }
  // Dimensions from `inner` on are a run, as many rows as `run`: `n` elements
  // that are `apart`. Of a dimension of one element it does not matter where
  // the next would lie.
  const ptrdiff_t line = y->dims[last];
  int32_t inner = last;
  ptrdiff_t run = 1, index[TENON_MAX_RANK], at = first;
  ptrdiff_t n = line, apart = step[last];
  for (; inner > 0; --inner) {
    const ptrdiff_t more = y->dims[inner - 1], by = step[inner - 1];
    if (n == 1)
      apart = more == 1 ? apart : by;
    else if (more != 1 && by != n * apart)
      break;
    n *= more;
    run *= more;
  }
  ptrdiff_t rest = begin ? (ptrdiff_t)begin / run : 0;
  ptrdiff_t done = begin ? (ptrdiff_t)begin % run : 0;
  for (int32_t d = inner - 1; d >= 0; --d) {
    index[d] = rest ? rest % y->dims[d] : 0;
    rest = rest ? rest / y->dims[d] : 0;
    at += index[d] * step[d];
  }
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; done = 0) {
    n = run - done;
    if (n > (ptrdiff_t)end - row) n = (ptrdiff_t)end - row;
    tenon_copy_elements(to + row * line * size, 1,
                        from + (at + done * line * apart) * size, apart,
                        n * line, size);
    row += n;
    for (int32_t d = inner - 1; d >= 0; --d) {
      at += step[d];
      if (++index[d] < y->dims[d]) break;
      at -= y->dims[d] * step[d];
      index[d] = 0;
    }
  }
  return TENON_OK;
}
