// kern/attention.h - core::attention: softmax(q k^T + mask) v, a row of scores
// at a time, which nobody else sees.
//
// Each number is what the operators give of which it consists: q times `scale`;
// scores as core::matmul_transposed adds them up, times `after`; more by the
// mask, or `fill` where a mask of truths is false; core::softmax; core::matmul
// with v, in the order of the keys.
#ifndef TENON_KERN_ATTENTION_H
#define TENON_KERN_ATTENTION_H

#include <math.h>

#include "kern/matmul.h"
#include "tenon/attr.h"

typedef struct tenon_attention_attrs {
  double scale, after;
  tenon_opt_float fill;  // none: negative infinity
  bool safe;             // where no key counts the result is zero, not NaN
} tenon_attention_attrs;

// Rows of q, keys, and the widths of a key and of a value.
typedef struct tenon_attention {
  ptrdiff_t rows, keys, width, depth;
  ptrdiff_t mask_row, mask_key;  // steps of the mask; 0: it is repeated
} tenon_attention;

TENON_INLINE tenon_attention tenon_attention_of(const tenon_call *c) {
  const tenon_tensor *q = &c->in[0], *v = &c->in[2], *mask = &c->in[3];
  tenon_attention a;
  a.rows = q->dims[q->rank - 2];
  a.width = q->dims[q->rank - 1];
  a.keys = v->dims[v->rank - 2];
  a.depth = v->dims[v->rank - 1];
  a.mask_row = a.mask_key = 0;
  if (mask->dtype) {
    a.mask_key = mask->dims[mask->rank - 1] != 1;
    if (mask->dims[mask->rank - 2] != 1)
      a.mask_row = mask->dims[mask->rank - 1];
  }
  return a;
}

TENON_INLINE float tenon_attention_fill(const tenon_attention_attrs *a) {
  return a->fill.has ? (float)a->fill.value : -INFINITY;
}

// Where the mask of row `row` of the result begins, in elements.
TENON_INLINE ptrdiff_t tenon_attention_mask_at(const tenon_call *c,
                                               const tenon_attention *a,
                                               ptrdiff_t row) {
  return tenon_matmul_at(&c->in[3], &c->out[0], row / a->rows) +
         row % a->rows * a->mask_row;
}

#endif  // TENON_KERN_ATTENTION_H
