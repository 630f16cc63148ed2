// cumprod_ref.c - running products along an axis. 16-bit floats carry f32 along
// and round each result; integers wrap.
//
// Items are lines along the axis.
#include "kern/loop/order.h"

#define CUMPROD_REF(t)                                                   \
  static void cumprod_ref_##t(const tenon_call *c, const tenon_lines *l, \
                              ptrdiff_t at) {                            \
    tenon_carry_##t acc = 1;                                             \
    for (ptrdiff_t i = 0; i < l->n; ++i, at += l->step) {                \
      acc = tenon_times_##t(acc, tenon_load_##t(c->in[0].data, at));     \
      tenon_store_##t(c->out[0].data, at, acc);                          \
    }                                                                    \
  }
TENON_PLAIN_ALL(CUMPROD_REF)

// Emitted C asks where sizes are open.
TENON_INLINE int64_t tenon_k_cumprod_ref_items(const tenon_call *c) {
  return tenon_lines_count(&c->in[0],
                           ((const tenon_cumulate_attrs *)c->attrs)->axis);
}

TENON_KERNEL_RANGE(tenon_k_cumprod_ref) {
  const tenon_cumulate_attrs *a = (const tenon_cumulate_attrs *)c->attrs;
  const tenon_lines l = tenon_lines_of(&c->in[0], a->axis);
#define CUMPROD_REF_RUN(t)                                      \
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) \
  cumprod_ref_##t(c, &l, tenon_lines_first(&l, i))
  TENON_PLAIN_SWITCH(c->in[0].dtype, CUMPROD_REF_RUN)
  return TENON_OK;
}
