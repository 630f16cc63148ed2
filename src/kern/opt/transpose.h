// kern/opt/transpose.h - permutations as transpositions of matrices, or as
// lines that are copied, once neighbouring dimensions that stay together are
// one.
//
// Also compiled for the machine that compiles the model: `match` and `items`
// use it.
#ifndef TENON_KERN_OPT_TRANSPOSE_H
#define TENON_KERN_OPT_TRANSPOSE_H

#include "kern/op/move.h"
#include "tenon/tensor.h"

enum {
  TENON_TRANSPOSE_ROWS = 64,
  TENON_TRANSPOSE_COLUMNS = 256,
  TENON_TRANSPOSE_LINE = 1 << 16
};

// Matrices of `rows` by `columns`. In a matrix transposed, neighbours in a
// column are neighbours in x and those in a row `step` apart there; in lines
// it is the other way round: `step` is 1.
typedef struct tenon_transpose {
  ptrdiff_t rows, columns;
  ptrdiff_t step;                     // from a column to the next, in x
  ptrdiff_t row_step, width;          // from a row to the next, in x and in y
  ptrdiff_t row_block, column_block;  // of an item, at most
  ptrdiff_t row_blocks, column_blocks;
  ptrdiff_t outer;
  int32_t n;  // dimensions of `outer`, innermost first
  ptrdiff_t dims[TENON_MAX_RANK], steps[TENON_MAX_RANK], widths[TENON_MAX_RANK];
} tenon_transpose;

// A matrix: its place among all, and where it lies in x and in y.
typedef struct tenon_transpose_place {
  ptrdiff_t at[TENON_MAX_RANK];
  ptrdiff_t x, y;
} tenon_transpose_place;

// All sizes are known, and none is 0.
TENON_INLINE void tenon_transpose_of(const tenon_call *c, tenon_transpose *t) {
  const tenon_permute_attrs *a = (const tenon_permute_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0];
  ptrdiff_t below[TENON_MAX_RANK], size = 1;
  ptrdiff_t dims[TENON_MAX_RANK + 2], steps[TENON_MAX_RANK + 2];
  int32_t n = 0, row = 1;
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
  for (; n < 2; ++n)
    dims[n] = steps[n] = 1;
  // A column lies along the dimension that is innermost in x.
  // Of short lines the longer of two dimensions has the rows, unless the inner
  // one has enough.
  if (steps[0] != 1)
    while (steps[row] != 1)
      ++row;
  else if (n > 2 && dims[0] < 1024 && dims[1] < 8 && dims[1] < dims[2])
    row = 2;
  t->columns = dims[0];
  t->step = steps[0];
  t->rows = dims[row];
  t->row_step = steps[row];
  t->outer = 1;
  t->n = 0;
  size = t->width = dims[0];
  for (int32_t d = 1; d < n; size *= dims[d], ++d) {
    if (d == row) {
      t->width = size;
      continue;
    }
    t->dims[t->n] = dims[d];
    t->steps[t->n] = steps[d];
    t->widths[t->n++] = size;
    t->outer *= dims[d];
  }
  t->column_block =
      t->step == 1 ? TENON_TRANSPOSE_LINE : TENON_TRANSPOSE_COLUMNS;
  t->column_blocks = (t->columns + t->column_block - 1) / t->column_block;
  t->row_blocks = (t->rows + TENON_TRANSPOSE_ROWS - 1) / TENON_TRANSPOSE_ROWS;
  // The last block is not much smaller than the others.
  t->row_block = (t->rows + t->row_blocks - 1) / t->row_blocks;
  t->row_block = (t->row_block + 3) / 4 * 4;
  t->row_blocks = (t->rows + t->row_block - 1) / t->row_block;
}

TENON_INLINE int64_t tenon_transpose_items(const tenon_transpose *t) {
  return (int64_t)(t->outer * t->row_blocks * t->column_blocks);
}

// Matrix i.
TENON_INLINE void tenon_transpose_find(const tenon_transpose *t, ptrdiff_t i,
                                       tenon_transpose_place *p) {
  p->x = p->y = 0;
  for (int32_t d = 0; d < t->n; i /= t->dims[d], ++d) {
    p->at[d] = i % t->dims[d];
    p->x += p->at[d] * t->steps[d];
    p->y += p->at[d] * t->widths[d];
  }
}

// The next one, without a division.
TENON_INLINE void tenon_transpose_next(const tenon_transpose *t,
                                       tenon_transpose_place *p) {
  for (int32_t d = 0; d < t->n; ++d) {
    p->x += t->steps[d];
    p->y += t->widths[d];
    if (++p->at[d] < t->dims[d]) return;
    p->x -= t->dims[d] * t->steps[d];
    p->y -= t->dims[d] * t->widths[d];
    p->at[d] = 0;
  }
}

#endif  // TENON_KERN_OPT_TRANSPOSE_H
