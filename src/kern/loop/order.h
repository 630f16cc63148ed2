// kern/loop/order.h - attributes of the operators that order elements or go
// through them in order, and the lines they work on.
#ifndef TENON_KERN_ORDER_H
#define TENON_KERN_ORDER_H

#include <string.h>

#include "kern/loop/plain.h"

typedef struct tenon_sort_attrs {
  int64_t axis;  // negative: from the end
  bool descending;
  tenon_opt_int keep;  // so many from the front of each line; else all
} tenon_sort_attrs;

typedef struct tenon_cumulate_attrs {
  int64_t axis;  // negative: from the end
} tenon_cumulate_attrs;

typedef struct tenon_unique_attrs {
  bool consecutive;  // only neighbours are compared, nothing is sorted
  bool first;        // rows stand as they first occur
} tenon_unique_attrs;

typedef struct tenon_searchsorted_attrs {
  bool right;  // behind equal elements, not before them
} tenon_searchsorted_attrs;

typedef struct tenon_non_max_suppression_attrs {
  tenon_ints size;  // one: how many boxes at most
} tenon_non_max_suppression_attrs;

typedef struct tenon_histc_attrs {
  int64_t bins;
  double lo, hi;  // equal: the smallest and the largest element
} tenon_histc_attrs;

typedef struct tenon_bincount_attrs {
  int64_t minlength;
} tenon_bincount_attrs;

// Line i of a dense tensor along an axis begins at first(i) and has n elements
// that are `step` apart.
typedef struct tenon_lines {
  ptrdiff_t n, step;
} tenon_lines;

TENON_INLINE tenon_lines tenon_lines_of(const tenon_tensor *x, int64_t axis) {
  tenon_lines l = {1, 1};
  if (axis < 0) axis += x->rank;
  if (x->rank == 0) return l;
  l.n = x->dims[axis];
  for (int32_t d = (int32_t)axis + 1; d < x->rank; ++d)
    l.step *= x->dims[d];
  return l;
}

TENON_INLINE ptrdiff_t tenon_lines_first(const tenon_lines *l, ptrdiff_t i) {
  return i / l->step * l->n * l->step + i % l->step;
}

// Of a line of n elements, how many a sorted one has, and where line i of those
// begins.
TENON_INLINE ptrdiff_t tenon_sort_kept(const tenon_sort_attrs *a, ptrdiff_t n) {
  return a->keep.has ? (ptrdiff_t)a->keep.value : n;
}
TENON_INLINE ptrdiff_t tenon_sort_to(const tenon_lines *l, ptrdiff_t kept,
                                     ptrdiff_t i) {
  return i / l->step * kept * l->step + i % l->step;
}

// How many lines there are; none without elements.
TENON_INLINE int64_t tenon_lines_count(const tenon_tensor *x, int64_t axis) {
  const tenon_lines l = tenon_lines_of(x, axis);
  return l.n ? (int64_t)tenon_count(x) / l.n : 0;
}

TENON_INLINE int64_t tenon_cumulate_items(const tenon_call *c) {
  return tenon_lines_count(&c->in[0],
                           ((const tenon_cumulate_attrs *)c->attrs)->axis);
}

// Whether a stands before b; NaN is larger than all numbers and equal to NaN.
#define TENON_PLAIN_BEFORE(t)                                                \
  TENON_INLINE bool tenon_before_##t(tenon_carry_##t a, tenon_carry_##t b) { \
    return a < b || (tenon_is_nan_##t(b) && !tenon_is_nan_##t(a));           \
  }
TENON_PLAIN_ALL(TENON_PLAIN_BEFORE)

#endif  // TENON_KERN_ORDER_H
