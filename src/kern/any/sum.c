// sum.c - sums over dimensions: one chain per output in the operand's order,
// begun at zero. Items are outputs.
#include "kern/reduce.h"

TENON_KERNEL_RANGE(KERNEL) {
  const tenon_reduce r =
      tenon_reduce_of(&c->in[0], (const tenon_reduce_attrs *)c->attrs);
  const ELEMENT *x = (const ELEMENT *)c->in[0].data;
  ELEMENT *y = (ELEMENT *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    const ELEMENT *from = x + tenon_reduce_at(r.kept, r.kept_step, r.n_kept, i);
    const int32_t last = r.n_summed - 1;
    NUMBER sum = 0;
    if (r.n_summed == 0) {
      y[i] = *from;
      continue;
    }
    for (ptrdiff_t k = 0; k < r.count; k += r.summed[last]) {
      const ELEMENT *run =
          from + tenon_reduce_at(r.summed, r.summed_step, r.n_summed, k);
      for (ptrdiff_t j = 0; j < r.summed[last]; ++j)
        sum += LOAD(run[j * r.summed_step[last]]);
    }
    y[i] = STORE(sum);
  }
  return TENON_OK;
}
