// amin_ref.c - the smallest element of any plain type. NaN wins; of nothing
// there is none.
//
// Items are outputs.
#include "kern/loop/reduce.h"

#define AMIN_REF(t)                                                           \
  static void amin_ref_##t(const tenon_call *c, const tenon_reduce *r,        \
                           ptrdiff_t i) {                                     \
    tenon_carry_##t best = tenon_load_##t(                                    \
        c->in[0].data, tenon_reduce_at(r->kept, r->kept_step, r->n_kept, i)); \
    TENON_REDUCE_EACH(*r, i) {                                                \
      const tenon_carry_##t x = tenon_load_##t(c->in[0].data, at);            \
      if (tenon_is_nan_##t(x) || x < best) best = x;                          \
      if (tenon_is_nan_##t(best)) break;                                      \
    }                                                                         \
    tenon_store_##t(c->out[0].data, i, best);                                 \
  }
TENON_PLAIN_ALL(AMIN_REF)

TENON_KERNEL_RANGE(tenon_k_amin_ref) {
  const tenon_reduce r =
      tenon_reduce_of(&c->in[0], (const tenon_reduce_attrs *)c->attrs);
  if (r.count == 0)
    return tenon_call_fail(c, "the smallest of no elements", 0, 0);
#define AMIN_REF_RUN(t)                                         \
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) \
  amin_ref_##t(c, &r, i)
  TENON_PLAIN_SWITCH(c->in[0].dtype, AMIN_REF_RUN)
  return TENON_OK;
}
