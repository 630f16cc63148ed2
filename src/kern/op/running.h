// kern/op/running.h - core::cumsum and core::cumprod: sums and products so far
// along an axis. 16-bit floats carry f32 along and round each result; integers
// wrap.
//
// Lines that lie beside each other go together, an element of each after the
// other, so that memory is read in its order. One body for both operators:
// `is_product` is a constant where it is called.
#ifndef TENON_KERN_RUNNING_H
#define TENON_KERN_RUNNING_H

#include "kern/loop/order.h"

enum { TENON_CUMULATE_LINES = 64 };

// One line, and some of at most so many, the first of which begins at `at`.
#define TENON_CUMULATE(t)                                                      \
  TENON_INLINE void tenon_cumulate_##t(const tenon_call *c,                    \
                                       const tenon_lines *l, ptrdiff_t at,     \
                                       bool is_product) {                      \
    tenon_carry_##t acc = is_product ? 1 : 0;                                  \
    for (ptrdiff_t i = 0; i < l->n; ++i, at += l->step) {                      \
      const tenon_carry_##t x = tenon_load_##t(c->in[0].data, at);             \
      acc = is_product ? tenon_times_##t(acc, x) : tenon_plus_##t(acc, x);     \
      tenon_store_##t(c->out[0].data, at, acc);                                \
    }                                                                          \
  }                                                                            \
  TENON_INLINE void tenon_cumulate_lines_##t(                                  \
      const tenon_call *c, const tenon_lines *l, ptrdiff_t at, ptrdiff_t some, \
      bool is_product) {                                                       \
    const void *in = c->in[0].data;                                            \
    void *out = c->out[0].data;                                                \
    tenon_carry_##t acc[TENON_CUMULATE_LINES], x[TENON_CUMULATE_LINES];        \
    for (ptrdiff_t j = 0; j < some; ++j)                                       \
      acc[j] = is_product ? 1 : 0;                                             \
    for (ptrdiff_t i = 0; i < l->n; ++i, at += l->step) {                      \
      for (ptrdiff_t j = 0; j < some; ++j)                                     \
        x[j] = tenon_load_##t(in, at + j);                                     \
      if (is_product)                                                          \
        for (ptrdiff_t j = 0; j < some; ++j)                                   \
          acc[j] = tenon_times_##t(acc[j], x[j]);                              \
      else                                                                     \
        for (ptrdiff_t j = 0; j < some; ++j)                                   \
          acc[j] = tenon_plus_##t(acc[j], x[j]);                               \
      for (ptrdiff_t j = 0; j < some; ++j)                                     \
        tenon_store_##t(out, at + j, acc[j]);                                  \
    }                                                                          \
  }
TENON_PLAIN_ALL(TENON_CUMULATE)

TENON_INLINE tenon_status tenon_cumulate(const tenon_call *c, int64_t begin,
                                         int64_t end, bool is_product) {
  const tenon_cumulate_attrs *a = (const tenon_cumulate_attrs *)c->attrs;
  const tenon_lines l = tenon_lines_of(&c->in[0], a->axis);
  for (ptrdiff_t i = (ptrdiff_t)begin, some; i < (ptrdiff_t)end; i += some) {
    const ptrdiff_t at = tenon_lines_first(&l, i);
    some = l.step - i % l.step;
    if (some > (ptrdiff_t)end - i) some = (ptrdiff_t)end - i;
    if (some > TENON_CUMULATE_LINES) some = TENON_CUMULATE_LINES;
#define TENON_CUMULATE_RUN(t)                              \
  if (some > 1)                                            \
    tenon_cumulate_lines_##t(c, &l, at, some, is_product); \
  else                                                     \
    tenon_cumulate_##t(c, &l, at, is_product)
    TENON_PLAIN_SWITCH(c->in[0].dtype, TENON_CUMULATE_RUN)
  }
  return TENON_OK;
}

#endif  // TENON_KERN_RUNNING_H
