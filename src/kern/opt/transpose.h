// kern/opt/transpose.h - permutations that are transpositions of matrices, once
// neighbouring dimensions that stay together are one.
//
// Also compiled for the machine that compiles the model: `match` and `items`
// use it.
#ifndef TENON_KERN_OPT_TRANSPOSE_H
#define TENON_KERN_OPT_TRANSPOSE_H

#include "kern/op/move.h"
#include "tenon/tensor.h"

enum { TENON_TRANSPOSE_ROWS = 64, TENON_TRANSPOSE_COLUMNS = 256 };

// Results [outer, rows, columns]: neighbours in a column are neighbours in x,
// those in a row are `step` apart there.
typedef struct tenon_transpose {
  ptrdiff_t rows, columns, step;
  ptrdiff_t row_blocks, column_blocks;
  ptrdiff_t outer;
  int32_t n;  // dimensions of `outer`, innermost first
  ptrdiff_t dims[TENON_MAX_RANK], steps[TENON_MAX_RANK];
} tenon_transpose;

// False where it is none. All sizes are known, and none is 0.
TENON_INLINE bool tenon_transpose_of(const tenon_call *c, tenon_transpose *t) {
  const tenon_permute_attrs *a = (const tenon_permute_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0];
  ptrdiff_t below[TENON_MAX_RANK], size = 1;
  ptrdiff_t dims[TENON_MAX_RANK], steps[TENON_MAX_RANK];
  int32_t n = 0;
  for (int32_t d = x->rank - 1; d >= 0; size *= x->dims[d], --d)
    below[d] = size;
  for (int32_t d = x->rank - 1; d >= 0; --d) {
    const int64_t from =
        a->dims.data[d] < 0 ? a->dims.data[d] + x->rank : a->dims.data[d];
    if (x->dims[from] == 1) continue;
    if (n && below[from] == dims[n - 1] * steps[n - 1]) {
      dims[n - 1] *= x->dims[from];
      continue;
    }
    dims[n] = x->dims[from];
    steps[n++] = below[from];
  }
  if (n < 2 || steps[0] == 1 || steps[1] != 1) return false;
  t->columns = dims[0];
  t->step = steps[0];
  t->rows = dims[1];
  t->row_blocks = (t->rows + TENON_TRANSPOSE_ROWS - 1) / TENON_TRANSPOSE_ROWS;
  t->column_blocks =
      (t->columns + TENON_TRANSPOSE_COLUMNS - 1) / TENON_TRANSPOSE_COLUMNS;
  t->outer = 1;
  t->n = n - 2;
  for (int32_t d = 0; d < t->n; ++d) {
    t->dims[d] = dims[d + 2];
    t->steps[d] = steps[d + 2];
    t->outer *= dims[d + 2];
  }
  return true;
}

TENON_INLINE int64_t tenon_transpose_items(const tenon_transpose *t) {
  return (int64_t)(t->outer * t->row_blocks * t->column_blocks);
}

// Where matrix i lies in x.
TENON_INLINE ptrdiff_t tenon_transpose_at(const tenon_transpose *t,
                                          ptrdiff_t i) {
  ptrdiff_t at = 0;
  for (int32_t d = 0; d < t->n; i /= t->dims[d], ++d)
    at += i % t->dims[d] * t->steps[d];
  return at;
}

#endif  // TENON_KERN_OPT_TRANSPOSE_H
