// mean.c - means over dimensions: the sum in the order of kern/loop/sum.h, then
// one division. The mean of nothing is NaN. Items are outputs.
#include "kern/loop/sum.h"

TENON_SUM_FUNCTIONS(NAME_sum, ELEMENT, NUMBER, LOAD)

TENON_KERNEL_RANGE(KERNEL) {
  const tenon_reduce_attrs *a = (const tenon_reduce_attrs *)c->attrs;
  tenon_reduce r = tenon_reduce_of(&c->in[0], a);
  const ELEMENT *x = (const ELEMENT *)c->in[0].data;
  ELEMENT *y = (ELEMENT *)c->out[0].data;
  tenon_sum_join(&r);
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i)
    y[i] = STORE(NAME_sum_of(&r, x, i) / (NUMBER)r.count);
  return TENON_OK;
}
