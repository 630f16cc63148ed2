// kern/product/recurrent.h - core::lstm, core::gru and core::rnn: one layer in
// one direction, over all of the time.
//
// The part of the gates that does not depend on the state is an operand,
// [t, b, gates * n]; the state begins as h [b, p] and ends in the last result.
// Items are b: each runs through time on its own. Sums of products are one
// chain over the state, the bias added last.
#ifndef TENON_KERN_RECURRENT_H
#define TENON_KERN_RECURRENT_H

#include <math.h>
#include <string.h>

#include "kern/num/real.h"
#include "tenon/tensor.h"

typedef struct tenon_recurrent_attrs {
  bool reverse;  // from the last time to the first
} tenon_recurrent_attrs;

typedef struct tenon_lstm_attrs {
  bool reverse;
  tenon_opt_float cell_clip;  // the cell stays within this, either side of 0
} tenon_lstm_attrs;

typedef struct tenon_rnn_attrs {
  bool reverse, relu;
} tenon_rnn_attrs;

// How kernels of kern/opt/ cut a layer whose batch is one row, or a few: blocks
// of units of each time. A state that is projected is not cut, nor are some
// rows of units that fill no two blocks.
#define TENON_RECURRENT_UNITS 32
#define TENON_RECURRENT_ROWS 4
TENON_INLINE int64_t tenon_recurrent_blocks(int64_t n) {
  return n % 16 || n == 0
             ? 1
             : (n + TENON_RECURRENT_UNITS - 1) / TENON_RECURRENT_UNITS;
}
TENON_INLINE bool tenon_recurrent_is_cut(const tenon_call *c) {
  const int64_t batch = c->in[0].dims[1], n = c->in[3].dims[1];
  const bool is_few =
      batch == 1 || (batch > 1 && batch <= TENON_RECURRENT_ROWS &&
                     tenon_recurrent_blocks(n) > 1);
  return is_few && c->in[0].dims[0] > 0 && (c->n_in < 6 || !c->in[5].dtype);
}
TENON_INLINE int64_t tenon_recurrent_items(const tenon_call *c) {
  return tenon_recurrent_is_cut(c)
             ? c->in[0].dims[0] * tenon_recurrent_blocks(c->in[3].dims[1])
             : c->in[0].dims[1];
}

// y[i] = the product of row i of w [n, depth] with h, and bias[i].
TENON_INLINE void tenon_recurrent_rows(float *y, const float *w,
                                       const float *bias, const float *h,
                                       ptrdiff_t n, ptrdiff_t depth) {
  for (ptrdiff_t i = 0; i < n; ++i, w += depth) {
    float sum = 0.0f;
    for (ptrdiff_t k = 0; k < depth; ++k)
      sum = fmaf(w[k], h[k], sum);
    y[i] = bias ? sum + bias[i] : sum;
  }
}

#endif  // TENON_KERN_RECURRENT_H
