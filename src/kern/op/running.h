// kern/op/running.h - core::cumsum and core::cumprod: sums and products so far
// along an axis. 16-bit floats carry f32 along and round each result; integers
// wrap.
//
// One body for both: `is_product` is a constant where it is called.
#ifndef TENON_KERN_RUNNING_H
#define TENON_KERN_RUNNING_H

#include "kern/loop/order.h"

#define TENON_CUMULATE(t)                                                  \
  TENON_INLINE void tenon_cumulate_##t(const tenon_call *c,                \
                                       const tenon_lines *l, ptrdiff_t at, \
                                       bool is_product) {                  \
    tenon_carry_##t acc = is_product ? 1 : 0;                              \
    for (ptrdiff_t i = 0; i < l->n; ++i, at += l->step) {                  \
      const tenon_carry_##t x = tenon_load_##t(c->in[0].data, at);         \
      acc = is_product ? tenon_times_##t(acc, x) : tenon_plus_##t(acc, x); \
      tenon_store_##t(c->out[0].data, at, acc);                            \
    }                                                                      \
  }
TENON_PLAIN_ALL(TENON_CUMULATE)

TENON_INLINE tenon_status tenon_cumulate(const tenon_call *c, int64_t begin,
                                         int64_t end, bool is_product) {
  const tenon_cumulate_attrs *a = (const tenon_cumulate_attrs *)c->attrs;
  const tenon_lines l = tenon_lines_of(&c->in[0], a->axis);
#define TENON_CUMULATE_RUN(t)                                   \
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) \
  tenon_cumulate_##t(c, &l, tenon_lines_first(&l, i), is_product)
  TENON_PLAIN_SWITCH(c->in[0].dtype, TENON_CUMULATE_RUN)
  return TENON_OK;
}

#endif  // TENON_KERN_RUNNING_H
