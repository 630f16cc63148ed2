// any_ref.c - whether one element is not zero; NaN is not.
//
// Items are outputs.
#include "kern/loop/reduce.h"

#define ANY_REF(t) \
  TENON_REDUCE_TYPE(any_ref, t, truth, bool, false, acc = acc || x != 0;, acc)
TENON_PLAIN_ALL(ANY_REF)

TENON_KERNEL_RANGE(tenon_k_any_ref) {
#define ANY_REF_RUN(t) any_ref_##t(c, (ptrdiff_t)begin, (ptrdiff_t)end)
  TENON_PLAIN_SWITCH(c->in[0].dtype, ANY_REF_RUN)
  return TENON_OK;
}
