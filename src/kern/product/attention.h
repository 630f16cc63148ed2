// kern/product/attention.h - core::attention: softmax(q k^T + mask) v, a row of
// scores at a time, which nobody else sees.
//
// Each number is what the operators give of which it consists: q times `scale`;
// scores as core::matmul_transposed adds them up, times `after`; more by the
// mask, or `fill` where a mask of truths is false; core::softmax; core::matmul
// with v, in the order of the keys.
#ifndef TENON_KERN_ATTENTION_H
#define TENON_KERN_ATTENTION_H

#include <math.h>

#include "kern/product/matmul.h"
#include "tenon/attr.h"

typedef struct tenon_attention_attrs {
  double scale, after;
  tenon_opt_float fill;  // none: negative infinity
  bool safe;             // where no key counts the result is zero, not NaN
  bool rows_first;  // [..., rows, heads, width], not [..., heads, rows, width]
} tenon_attention_attrs;

// Rows of q, keys, and the widths of a key and of a value.
typedef struct tenon_attention {
  ptrdiff_t rows, keys, width, depth;
  ptrdiff_t mask_row, mask_key;          // steps of the mask; 0: it is repeated
  ptrdiff_t q_row, k_row, v_row, y_row;  // from a row to the next
  ptrdiff_t heads;                       // that lie within a row; 0: none do
} tenon_attention;

// What is between a row and the next of its matrix.
TENON_INLINE ptrdiff_t tenon_attention_row(const tenon_tensor *x,
                                           bool rows_first) {
  const ptrdiff_t width = x->dims[x->rank - 1];
  return rows_first ? width * x->dims[x->rank - 2] : width;
}

TENON_INLINE tenon_attention tenon_attention_of(const tenon_call *c) {
  const tenon_tensor *q = &c->in[0], *v = &c->in[2], *mask = &c->in[3];
  const bool rows_first = ((const tenon_attention_attrs *)c->attrs)->rows_first;
  const int32_t at = rows_first ? 3 : 2;  // rows, from the last dimension
  tenon_attention a;
  a.rows = q->dims[q->rank - at];
  a.width = q->dims[q->rank - 1];
  a.keys = v->dims[v->rank - at];
  a.q_row = tenon_attention_row(q, rows_first);
  a.k_row = tenon_attention_row(&c->in[1], rows_first);
  a.v_row = tenon_attention_row(v, rows_first);
  a.y_row = tenon_attention_row(&c->out[0], rows_first);
  a.heads = rows_first ? c->out[0].dims[c->out[0].rank - 2] : 0;
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

// How many elements before the matrix of an operand, or of the result, that
// belongs to batch `batch` of the result; dimensions of 1 are repeated.
TENON_INLINE ptrdiff_t tenon_attention_at(const tenon_call *c,
                                          const tenon_attention *a,
                                          const tenon_tensor *x,
                                          ptrdiff_t batch) {
  const tenon_tensor *y = &c->out[0];
  if (a->heads == 0) return tenon_matmul_at(x, y, batch);
  ptrdiff_t below = 1, at = 0;
  if (x->dims[x->rank - 2] != 1) at = batch % a->heads * x->dims[x->rank - 1];
  batch /= a->heads;
  for (int32_t d = x->rank - 3; d < x->rank; ++d)
    below *= x->dims[d];
  for (int32_t d = y->rank - 4; d >= 0; batch /= y->dims[d], --d) {
    int32_t own = d - (y->rank - x->rank);
    if (own < 0) break;
    if (x->dims[own] != 1) at += batch % y->dims[d] * below;
    below *= x->dims[own];
  }
  return at;
}

// Where row `row` of the result begins, in elements: those of a head are
// counted one after the other.
TENON_INLINE ptrdiff_t tenon_attention_to(const tenon_call *c,
                                          const tenon_attention *a,
                                          ptrdiff_t row) {
  return tenon_attention_at(c, a, &c->out[0], row / a->rows) +
         row % a->rows * a->y_row;
}

// Where its mask begins, whose dimensions are those of heads and rows.
TENON_INLINE ptrdiff_t tenon_attention_mask_at(const tenon_call *c,
                                               const tenon_attention *a,
                                               ptrdiff_t row) {
  const tenon_tensor *x = &c->in[3], *y = &c->out[0];
  ptrdiff_t batch = row / a->rows, at = row % a->rows * a->mask_row;
  ptrdiff_t below = (ptrdiff_t)x->dims[x->rank - 1] * x->dims[x->rank - 2];
  if (a->heads == 0) return tenon_matmul_at(x, y, batch) + at;
  for (int32_t d = y->rank - 3; d >= 0; --d) {
    const int32_t own = d - (y->rank - x->rank);
    const ptrdiff_t size = d == y->rank - 3 ? a->heads : y->dims[d];
    if (own < 0) break;
    if (x->dims[own] != 1) at += batch % size * below;
    below *= x->dims[own];
    batch /= size;
  }
  return at;
}

#endif  // TENON_KERN_ATTENTION_H
