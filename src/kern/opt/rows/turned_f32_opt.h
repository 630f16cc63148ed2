// kern/opt/rows/turned_f32_opt.h - rows of floats turned, so that a register
// has the same element of as many rows: what is done to each row is done to all
// of them at once, in the same order.
#ifndef TENON_KERN_OPT_TURNED_F32_OPT_H
#define TENON_KERN_OPT_TURNED_F32_OPT_H

#include "kern/loop/reduce.h"
#include "kern/opt/permute_b4_opt.h"

// Rows of so many elements at most are turned, so that they stay in the first
// cache.
enum { TENON_TURNED = 64 };

// Element k of `rows` rows of n, `step` apart, to row k of `turned`, which are
// `width` apart.
TENON_APART void tenon_turn_rows(const float *x, ptrdiff_t n, ptrdiff_t step,
                                 ptrdiff_t rows, ptrdiff_t width,
                                 int32_t *turned) {
  tenon_permute_b4_turn((const int32_t *)(const void *)x, step, turned, width,
                        n, rows);
}

// Whether what an output is made from lies behind that of the output before.
TENON_INLINE bool tenon_reduce_follows(const tenon_reduce *r) {
  ptrdiff_t step = r->count;
  for (int32_t d = r->n_kept - 1; d >= 0; step *= r->kept[d], --d)
    if (r->kept_step[d] != step) return false;
  return true;
}

#endif  // TENON_KERN_OPT_TURNED_F32_OPT_H
