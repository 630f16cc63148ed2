// sum_ref.c - sums of any plain type: one chain per output in the operand's
// order, begun at zero. 16-bit floats round once at the end; integers wrap.
//
// Items are outputs.
#include "kern/reduce.h"

#define SUM_REF(t)   \
  TENON_REDUCE_TYPE( \
      sum_ref, t, t, tenon_carry_##t, 0, acc = tenon_plus_##t(acc, x);, acc)
TENON_PLAIN_ALL(SUM_REF)

TENON_KERNEL_RANGE(tenon_k_sum_ref) {
#define SUM_REF_RUN(t) sum_ref_##t(c, (ptrdiff_t)begin, (ptrdiff_t)end)
  TENON_PLAIN_SWITCH(c->in[0].dtype, SUM_REF_RUN)
  return TENON_OK;
}
