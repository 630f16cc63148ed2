// kern/opt/rows/running_opt.h - core::cumsum and core::cumprod of lines that
// lie beside each other, in plain C.
//
// Such lines go together, an element of each after the other, so that memory is
// read in its order. Where a result holds what is carried along, it is read
// again from there: so many lines that it is still near. The steps of a line
// are those of kern/op/running.h, and so are all bits.
#ifndef TENON_KERN_RUNNING_OPT_H
#define TENON_KERN_RUNNING_OPT_H

#include "kern/loop/order.h"
#include "kern/loop/wide.h"

enum { TENON_RUNNING_LINES = 1024, TENON_RUNNING_CARRIED = 64 };

// `some` lines, the first of which begins at `at`. `STEP` is plus or times, and
// `one` what it begins with.
#define TENON_RUNNING_STORED(t, STEP, one)                                     \
  TENON_INLINE void tenon_running_##STEP##_##t(const tenon_call *c,            \
                                               const tenon_lines *l,           \
                                               ptrdiff_t at, ptrdiff_t some) { \
    const void *x = c->in[0].data;                                             \
    void *y = c->out[0].data;                                                  \
    TENON_INDEPENDENT for (ptrdiff_t j = at; j < at + some; ++j)               \
        tenon_store_##t(y, j, tenon_##STEP##_##t(one, tenon_load_##t(x, j)));  \
    for (ptrdiff_t i = 1; i < l->n; ++i) {                                     \
      const ptrdiff_t from = at;                                               \
      at += l->step;                                                           \
      TENON_INDEPENDENT for (ptrdiff_t j = 0; j < some; ++j)                   \
          tenon_store_##t(y, at + j,                                           \
                          tenon_##STEP##_##t(tenon_load_##t(y, from + j),      \
                                             tenon_load_##t(x, at + j)));      \
    }                                                                          \
  }
// What is carried along has bits that a result does not.
#define TENON_RUNNING_CARRY(t, STEP, one)                                      \
  TENON_INLINE void tenon_running_##STEP##_##t(                                \
      const tenon_call *c, const tenon_lines *l, ptrdiff_t first,              \
      ptrdiff_t some) {                                                        \
    const void *x = c->in[0].data;                                             \
    void *y = c->out[0].data;                                                  \
    for (ptrdiff_t k = 0, n; k < some; k += n) {                               \
      tenon_carry_##t acc[TENON_RUNNING_CARRIED];                              \
      ptrdiff_t at = first + k;                                                \
      n = some - k < TENON_RUNNING_CARRIED ? some - k : TENON_RUNNING_CARRIED; \
      for (ptrdiff_t j = 0; j < n; ++j)                                        \
        acc[j] = one;                                                          \
      for (ptrdiff_t i = 0; i < l->n; ++i, at += l->step)                      \
        TENON_INDEPENDENT for (ptrdiff_t j = 0; j < n; ++j) {                  \
          acc[j] = tenon_##STEP##_##t(acc[j], tenon_load_##t(x, at + j));      \
          tenon_store_##t(y, at + j, acc[j]);                                  \
        }                                                                      \
    }                                                                          \
  }
#define TENON_RUNNING_BOTH(form, t) form(t, plus, 0) form(t, times, 1)
TENON_RUNNING_BOTH(TENON_RUNNING_STORED, f32)
TENON_RUNNING_BOTH(TENON_RUNNING_STORED, f64)
TENON_RUNNING_BOTH(TENON_RUNNING_CARRY, f16)
TENON_RUNNING_BOTH(TENON_RUNNING_CARRY, bf16)
TENON_RUNNING_BOTH(TENON_RUNNING_STORED, s8)
TENON_RUNNING_BOTH(TENON_RUNNING_STORED, s16)
TENON_RUNNING_BOTH(TENON_RUNNING_STORED, s32)
TENON_RUNNING_BOTH(TENON_RUNNING_STORED, s64)
TENON_RUNNING_BOTH(TENON_RUNNING_STORED, u8)
TENON_RUNNING_BOTH(TENON_RUNNING_STORED, u16)
TENON_RUNNING_BOTH(TENON_RUNNING_STORED, u32)
TENON_RUNNING_BOTH(TENON_RUNNING_STORED, u64)
TENON_RUNNING_BOTH(TENON_RUNNING_CARRY, truth)

TENON_INLINE tenon_status tenon_running_run(const tenon_call *c, int64_t begin,
                                            int64_t end, bool is_product) {
  const tenon_cumulate_attrs *a = (const tenon_cumulate_attrs *)c->attrs;
  const tenon_lines l = tenon_lines_of(&c->in[0], a->axis);
  for (ptrdiff_t i = (ptrdiff_t)begin, some; i < (ptrdiff_t)end; i += some) {
    const ptrdiff_t at = tenon_lines_first(&l, i);
    some = l.step - i % l.step;
    if (some > (ptrdiff_t)end - i) some = (ptrdiff_t)end - i;
    if (some > TENON_RUNNING_LINES) some = TENON_RUNNING_LINES;
#define TENON_RUNNING_RUN(t)                  \
  if (is_product)                             \
    tenon_running_times_##t(c, &l, at, some); \
  else                                        \
    tenon_running_plus_##t(c, &l, at, some)
    TENON_PLAIN_SWITCH(c->in[0].dtype, TENON_RUNNING_RUN)
  }
  return TENON_OK;
}

#endif  // TENON_KERN_RUNNING_OPT_H
