// kern/op/layer_norm.h - core::layer_norm: rows of the last dimension less
// their mean, over the root of their mean square.
//
// Each number is what the operators give of which it consists: the mean of a
// row as core::mean has it (not with `rms`), a difference, the mean of its
// squares in the same order, more by `eps`, one over its root, and products and
// a sum, each rounded.
#ifndef TENON_KERN_LAYER_NORM_H
#define TENON_KERN_LAYER_NORM_H

#include "kern/loop/sum.h"

typedef struct tenon_layer_norm_attrs {
  double eps;
  bool rms;  // the row itself, not what differs from its mean
} tenon_layer_norm_attrs;

// A row of `n` elements, for kern/loop/sum.h.
TENON_INLINE tenon_reduce tenon_layer_norm_row(ptrdiff_t n) {
  tenon_reduce r;
  r.n_kept = 0;
  r.n_summed = 1;
  r.summed[0] = n;
  r.summed_step[0] = 1;
  r.count = n;
  return r;
}

// Of how many rows kernels in registers do one step before the next.
enum { TENON_LAYER_NORM_BLOCK = 16, TENON_LAYER_NORM_NEAR = 4096 };
TENON_INLINE ptrdiff_t tenon_layer_norm_some(ptrdiff_t n) {
  const ptrdiff_t some = n > 0 ? TENON_LAYER_NORM_NEAR / n : 1;
  if (some > TENON_LAYER_NORM_BLOCK) return TENON_LAYER_NORM_BLOCK;
  return some < 1 ? 1 : some;
}

#endif  // TENON_KERN_LAYER_NORM_H
