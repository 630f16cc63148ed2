// all_ref.c - whether every element is not zero; NaN is not.
//
// Items are outputs.
#include "kern/loop/reduce.h"

#define ALL_REF(t) \
  TENON_REDUCE_TYPE(all_ref, t, truth, bool, true, acc = acc && x != 0;, acc)
TENON_PLAIN_ALL(ALL_REF)

TENON_KERNEL_RANGE(tenon_k_all_ref) {
#define ALL_REF_RUN(t) all_ref_##t(c, (ptrdiff_t)begin, (ptrdiff_t)end)
  TENON_PLAIN_SWITCH(c->in[0].dtype, ALL_REF_RUN)
  return TENON_OK;
}
