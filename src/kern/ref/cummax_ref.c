// cummax_ref.c - the largest element so far along an axis, and where it stands:
// the last of equal ones. NaN wins; the last NaN of several.
//
// Items are lines along the axis.
#include "kern/order.h"

#define CUMMAX_REF(t)                                                   \
  static void cummax_ref_##t(const tenon_call *c, const tenon_lines *l, \
                             ptrdiff_t at) {                            \
    tenon_carry_##t best = 0;                                           \
    int64_t found = 0;                                                  \
    for (ptrdiff_t i = 0; i < l->n; ++i, at += l->step) {               \
      const tenon_carry_##t x = tenon_load_##t(c->in[0].data, at);      \
      if (i == 0 || tenon_is_nan_##t(x) ||                              \
          (!tenon_is_nan_##t(best) && x >= best)) {                     \
        best = x;                                                       \
        found = (int64_t)i;                                             \
      }                                                                 \
      tenon_store_##t(c->out[0].data, at, best);                        \
      ((int64_t *)c->out[1].data)[at] = found;                          \
    }                                                                   \
  }
TENON_PLAIN_ALL(CUMMAX_REF)

// Emitted C asks where sizes are open.
TENON_INLINE int64_t tenon_k_cummax_ref_items(const tenon_call *c) {
  return tenon_lines_count(&c->in[0],
                           ((const tenon_cumulate_attrs *)c->attrs)->axis);
}

TENON_KERNEL_RANGE(tenon_k_cummax_ref) {
  const tenon_cumulate_attrs *a = (const tenon_cumulate_attrs *)c->attrs;
  const tenon_lines l = tenon_lines_of(&c->in[0], a->axis);
#define CUMMAX_REF_RUN(t)                                       \
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) \
  cummax_ref_##t(c, &l, tenon_lines_first(&l, i))
  TENON_PLAIN_SWITCH(c->in[0].dtype, CUMMAX_REF_RUN)
  return TENON_OK;
}
