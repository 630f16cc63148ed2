// kern/loop/where.h - a condition and two operands that broadcast, walked by
// runs of neighbours along the result's last dimension.
#ifndef TENON_KERN_WHERE_H
#define TENON_KERN_WHERE_H

#include "kern/loop/broadcast.h"

// The result's dimensions, innermost first: those that all three walk alike are
// one. `step` and `at`, where the run's first element has its own, are in
// elements of condition, a and b; along the innermost a step is 0 or 1.
typedef struct tenon_where_walk {
  int32_t rank;
  ptrdiff_t dims[TENON_MAX_RANK], step[TENON_MAX_RANK][3];
  ptrdiff_t index[TENON_MAX_RANK], at[3];
} tenon_where_walk;

// From element `begin` of the result on.
TENON_INLINE tenon_where_walk tenon_where_walk_of(const tenon_call *c,
                                                  ptrdiff_t begin) {
  const tenon_tensor *y = &c->out[0];
  ptrdiff_t below[3] = {1, 1, 1};
  tenon_where_walk w;
  w.rank = 0;
  w.dims[0] = 1;
  w.index[0] = 0;
  for (int32_t k = 0; k < 3; ++k)
    w.step[0][k] = w.at[k] = 0;
  for (int32_t d = y->rank - 1; d >= 0; --d) {
    ptrdiff_t step[3];
    bool is_one = w.rank > 0;
    for (int32_t k = 0; k < 3; ++k) {
      step[k] = tenon_broadcast_step(&c->in[k], d, y->rank, &below[k]);
      is_one = is_one && step[k] == w.step[w.rank - 1][k] * w.dims[w.rank - 1];
    }
    if (y->dims[d] == 1) continue;
    if (is_one) {
      w.dims[w.rank - 1] *= y->dims[d];
      continue;
    }
    for (int32_t k = 0; k < 3; ++k)
      w.step[w.rank][k] = step[k];
    w.dims[w.rank++] = y->dims[d];
  }
  for (int32_t d = 0; d < w.rank; ++d) {
    w.index[d] = begin ? begin % w.dims[d] : 0;
    begin = begin ? begin / w.dims[d] : 0;
    for (int32_t k = 0; k < 3; ++k)
      w.at[k] += w.index[d] * w.step[d][k];
  }
  return w;
}

// To the next run, without a division.
TENON_INLINE void tenon_where_next(tenon_where_walk *w) {
  for (int32_t k = 0; k < 3; ++k)
    w->at[k] -= w->index[0] * w->step[0][k];
  w->index[0] = 0;
  for (int32_t d = 1; d < w->rank; ++d) {
    for (int32_t k = 0; k < 3; ++k)
      w->at[k] += w->step[d][k];
    if (++w->index[d] < w->dims[d]) return;
    for (int32_t k = 0; k < 3; ++k)
      w->at[k] -= w->dims[d] * w->step[d][k];
    w->index[d] = 0;
  }
}

#endif  // TENON_KERN_WHERE_H
