// sum_whole.c - sums of integers over dimensions, which wrap; of truth values,
// whether one is true. Items are outputs.
#include "kern/loop/reduce.h"

TENON_KERNEL_RANGE(KERNEL) {
  const tenon_reduce r =
      tenon_reduce_of(&c->in[0], (const tenon_reduce_attrs *)c->attrs);
  const ELEMENT *x = (const ELEMENT *)c->in[0].data;
  ELEMENT *y = (ELEMENT *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    WRAP sum = 0;
    TENON_REDUCE_EACH(r, i) {
      const NUMBER v = LOAD(x[at]);
      sum += (WRAP)v;
      if (MOST == 1 && sum != 0) sum = 1;
    }
    y[i] = STORE(sum);
  }
  return TENON_OK;
}
