// kern/op/extreme.h - core::amax, amin, argmax, argmin, cummax and cummin: the
// largest or smallest element and its place, over reduced dimensions or so far
// along an axis.
//
// One body for both directions: `is_max` is a constant where it is called.
#ifndef TENON_KERN_EXTREME_H
#define TENON_KERN_EXTREME_H

#include "kern/loop/order.h"
#include "kern/loop/reduce.h"

// The element; NaN wins.
#define TENON_EXTREME_VALUE(t)                                                \
  TENON_INLINE void tenon_extreme_value_##t(                                  \
      const tenon_call *c, const tenon_reduce *r, ptrdiff_t i, bool is_max) { \
    tenon_carry_##t best = tenon_load_##t(                                    \
        c->in[0].data, tenon_reduce_at(r->kept, r->kept_step, r->n_kept, i)); \
    TENON_REDUCE_EACH(*r, i) {                                                \
      const tenon_carry_##t x = tenon_load_##t(c->in[0].data, at);            \
      if (tenon_is_nan_##t(x) || (is_max ? x > best : x < best)) best = x;    \
      if (tenon_is_nan_##t(best)) break;                                      \
    }                                                                         \
    tenon_store_##t(c->out[0].data, i, best);                                 \
  }
TENON_PLAIN_ALL(TENON_EXTREME_VALUE)

TENON_INLINE tenon_status tenon_extreme_values(const tenon_call *c,
                                               int64_t begin, int64_t end,
                                               bool is_max, const char *none) {
  const tenon_reduce r =
      tenon_reduce_of(&c->in[0], (const tenon_reduce_attrs *)c->attrs);
  if (r.count == 0) return tenon_call_fail(c, none, 0, 0);
#define TENON_EXTREME_VALUES(t)                                 \
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) \
  tenon_extreme_value_##t(c, &r, i, is_max)
  TENON_PLAIN_SWITCH(c->in[0].dtype, TENON_EXTREME_VALUES)
  return TENON_OK;
}

// The place, counted over the reduced dimensions together: the first of equal
// ones; the first NaN if there is one.
#define TENON_EXTREME_PLACE(t)                                                \
  TENON_INLINE void tenon_extreme_place_##t(                                  \
      const tenon_call *c, const tenon_reduce *r, ptrdiff_t i, bool is_max) { \
    int64_t found = -1;                                                       \
    tenon_carry_##t best = 0;                                                 \
    TENON_REDUCE_EACH(*r, i) {                                                \
      const tenon_carry_##t x = tenon_load_##t(c->in[0].data, at);            \
      if (found < 0 || (is_max ? x > best : x < best) ||                      \
          (tenon_is_nan_##t(x) && !tenon_is_nan_##t(best))) {                 \
        best = x;                                                             \
        found = (int64_t)(k + j);                                             \
      }                                                                       \
    }                                                                         \
    ((int64_t *)c->out[0].data)[i] = found;                                   \
  }
TENON_PLAIN_ALL(TENON_EXTREME_PLACE)

TENON_INLINE tenon_status tenon_extreme_places(const tenon_call *c,
                                               int64_t begin, int64_t end,
                                               bool is_max, const char *none) {
  const tenon_reduce r =
      tenon_reduce_of(&c->in[0], (const tenon_reduce_attrs *)c->attrs);
  if (r.count == 0) return tenon_call_fail(c, none, 0, 0);
#define TENON_EXTREME_PLACES(t)                                 \
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) \
  tenon_extreme_place_##t(c, &r, i, is_max)
  TENON_PLAIN_SWITCH(c->in[0].dtype, TENON_EXTREME_PLACES)
  return TENON_OK;
}

// Each element so far, with its place: the last of equal ones. NaN wins; the
// last NaN of several.
#define TENON_EXTREME_RUN(t)                                                  \
  TENON_INLINE void tenon_extreme_run_##t(                                    \
      const tenon_call *c, const tenon_lines *l, ptrdiff_t at, bool is_max) { \
    tenon_carry_##t best = 0;                                                 \
    int64_t found = 0;                                                        \
    for (ptrdiff_t i = 0; i < l->n; ++i, at += l->step) {                     \
      const tenon_carry_##t x = tenon_load_##t(c->in[0].data, at);            \
      if (i == 0 || tenon_is_nan_##t(x) ||                                    \
          (!tenon_is_nan_##t(best) && (is_max ? x >= best : x <= best))) {    \
        best = x;                                                             \
        found = (int64_t)i;                                                   \
      }                                                                       \
      tenon_store_##t(c->out[0].data, at, best);                              \
      ((int64_t *)c->out[1].data)[at] = found;                                \
    }                                                                         \
  }
TENON_PLAIN_ALL(TENON_EXTREME_RUN)

TENON_INLINE tenon_status tenon_extreme_runs(const tenon_call *c, int64_t begin,
                                             int64_t end, bool is_max) {
  const tenon_cumulate_attrs *a = (const tenon_cumulate_attrs *)c->attrs;
  const tenon_lines l = tenon_lines_of(&c->in[0], a->axis);
#define TENON_EXTREME_RUNS(t)                                   \
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) \
  tenon_extreme_run_##t(c, &l, tenon_lines_first(&l, i), is_max)
  TENON_PLAIN_SWITCH(c->in[0].dtype, TENON_EXTREME_RUNS)
  return TENON_OK;
}

#endif  // TENON_KERN_EXTREME_H
