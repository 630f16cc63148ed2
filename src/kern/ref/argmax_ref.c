// argmax_ref.c - where the largest element stands, counted over the reduced
// dimensions together. The first of equal ones; the first NaN if there is one.
//
// Items are outputs.
#include "kern/reduce.h"

#define ARGMAX_REF(t)                                                    \
  static void argmax_ref_##t(const tenon_call *c, const tenon_reduce *r, \
                             ptrdiff_t i) {                              \
    int64_t found = -1;                                                  \
    tenon_carry_##t best = 0;                                            \
    TENON_REDUCE_EACH(*r, i) {                                           \
      const tenon_carry_##t x = tenon_load_##t(c->in[0].data, at);       \
      if (found < 0 || x > best ||                                       \
          (tenon_is_nan_##t(x) && !tenon_is_nan_##t(best))) {            \
        best = x;                                                        \
        found = (int64_t)(k + j);                                        \
      }                                                                  \
    }                                                                    \
    ((int64_t *)c->out[0].data)[i] = found;                              \
  }
TENON_PLAIN_ALL(ARGMAX_REF)

TENON_KERNEL_RANGE(tenon_k_argmax_ref) {
  const tenon_reduce r =
      tenon_reduce_of(&c->in[0], (const tenon_reduce_attrs *)c->attrs);
  if (r.count == 0)
    return tenon_call_fail(c, "the place of the largest of no elements", 0, 0);
#define ARGMAX_REF_RUN(t)                                       \
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) \
  argmax_ref_##t(c, &r, i)
  TENON_PLAIN_SWITCH(c->in[0].dtype, ARGMAX_REF_RUN)
  return TENON_OK;
}
