// prod_ref.c - products of any plain type: one chain per output in the
// operand's order, begun at one. 16-bit floats round once at the end; integers
// wrap.
//
// Items are outputs.
#include "kern/reduce.h"

#define PROD_REF(t)  \
  TENON_REDUCE_TYPE( \
      prod_ref, t, t, tenon_carry_##t, 1, acc = tenon_times_##t(acc, x);, acc)
TENON_PLAIN_ALL(PROD_REF)

TENON_KERNEL_RANGE(tenon_k_prod_ref) {
#define PROD_REF_RUN(t) prod_ref_##t(c, (ptrdiff_t)begin, (ptrdiff_t)end)
  TENON_PLAIN_SWITCH(c->in[0].dtype, PROD_REF_RUN)
  return TENON_OK;
}
