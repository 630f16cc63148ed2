// kern/opt/permute_b4_opt.h - transpositions of elements of four bytes, a
// square of four by four in registers at a time. Items are blocks of a matrix.
#ifndef TENON_KERN_OPT_PERMUTE_B4_OPT_H
#define TENON_KERN_OPT_PERMUTE_B4_OPT_H

#include "kern/opt/transpose.h"
#include "kern/opt/vectors.h"

// Whatever the width of a register, a square is four of 128 bits.
typedef int32_t tenon_b4x4 __attribute__((vector_size(16)));
typedef int32_t tenon_b4x4_at
    __attribute__((vector_size(16), aligned(4), may_alias));

#if TENON_HAS_BUILTIN(__builtin_shufflevector)
#define TENON_SHUFFLE4(a, b, i, j, k, l) \
  __builtin_shufflevector(a, b, i, j, k, l)
#else
#define TENON_SHUFFLE4(a, b, i, j, k, l) \
  __builtin_shuffle(a, b, (tenon_b4x4){i, j, k, l})
#endif

// Four columns of x, `step` apart, to four rows of y, n apart.
TENON_FLAT void tenon_permute_b4_square(const int32_t *x, ptrdiff_t step,
                                        int32_t *y, ptrdiff_t n) {
  const tenon_b4x4 a = *(const tenon_b4x4_at *)x;
  const tenon_b4x4 b = *(const tenon_b4x4_at *)(x + step);
  const tenon_b4x4 c = *(const tenon_b4x4_at *)(x + 2 * step);
  const tenon_b4x4 d = *(const tenon_b4x4_at *)(x + 3 * step);
  const tenon_b4x4 ab = TENON_SHUFFLE4(a, b, 0, 4, 1, 5);
  const tenon_b4x4 cd = TENON_SHUFFLE4(c, d, 0, 4, 1, 5);
  const tenon_b4x4 ab_high = TENON_SHUFFLE4(a, b, 2, 6, 3, 7);
  const tenon_b4x4 cd_high = TENON_SHUFFLE4(c, d, 2, 6, 3, 7);
  *(tenon_b4x4_at *)y = TENON_SHUFFLE4(ab, cd, 0, 1, 4, 5);
  *(tenon_b4x4_at *)(y + n) = TENON_SHUFFLE4(ab, cd, 2, 3, 6, 7);
  *(tenon_b4x4_at *)(y + 2 * n) = TENON_SHUFFLE4(ab_high, cd_high, 0, 1, 4, 5);
  *(tenon_b4x4_at *)(y + 3 * n) = TENON_SHUFFLE4(ab_high, cd_high, 2, 3, 6, 7);
}

// Four rows of three, one behind the other: the colours of four pixels.
TENON_FLAT void tenon_permute_b4_three(const int32_t *x, ptrdiff_t step,
                                       int32_t *y) {
  const tenon_b4x4 a = *(const tenon_b4x4_at *)x;
  const tenon_b4x4 b = *(const tenon_b4x4_at *)(x + step);
  const tenon_b4x4 c = *(const tenon_b4x4_at *)(x + 2 * step);
  const tenon_b4x4 ab = TENON_SHUFFLE4(a, b, 0, 4, 1, 5);
  const tenon_b4x4 ab_high = TENON_SHUFFLE4(a, b, 2, 6, 3, 7);
  const tenon_b4x4 bc = TENON_SHUFFLE4(b, c, 1, 5, 3, 7);
  const tenon_b4x4 ca = TENON_SHUFFLE4(c, a, 2, 7, 2, 7);
  *(tenon_b4x4_at *)y = TENON_SHUFFLE4(ab, c, 0, 1, 4, 2);
  *(tenon_b4x4_at *)(y + 4) = TENON_SHUFFLE4(bc, ab_high, 0, 1, 4, 5);
  *(tenon_b4x4_at *)(y + 8) = TENON_SHUFFLE4(ca, bc, 0, 1, 6, 7);
}

// The same for `rows` rows.
TENON_APART void tenon_permute_b4_colours(const int32_t *x, ptrdiff_t step,
                                          int32_t *y, ptrdiff_t rows) {
  for (; rows >= 4; rows -= 4, x += 4, y += 12)
    tenon_permute_b4_three(x, step, y);
  for (; rows > 0; --rows, ++x)
    for (ptrdiff_t k = 0; k < 3; ++k)
      *y++ = x[k * step];
}

// `rows` rows of y of `columns` each, n apart.
static void tenon_permute_b4_block(const int32_t *x, ptrdiff_t step, int32_t *y,
                                   ptrdiff_t n, ptrdiff_t rows,
                                   ptrdiff_t columns) {
  ptrdiff_t r, j = 0;
  for (; j + 4 <= columns; j += 4) {
    for (r = 0; r + 4 <= rows; r += 4)
      tenon_permute_b4_square(x + j * step + r, step, y + r * n + j, n);
    for (; r < rows; ++r)
      for (ptrdiff_t k = j; k < j + 4; ++k)
        y[r * n + k] = x[k * step + r];
  }
  for (r = 0; r < rows && j < columns; ++r)
    for (ptrdiff_t k = j; k < columns; ++k)
      y[r * n + k] = x[k * step + r];
}

// Rows of a block whose lines stay in the first-level cache.
enum { TENON_PERMUTE_ROWS = 16 };

TENON_INLINE tenon_status tenon_permute_b4_run(const tenon_call *c,
                                               int64_t begin, int64_t end) {
  tenon_transpose t;
  if (!tenon_transpose_of(c, &t)) return TENON_OK;  // `match` has seen to it
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    const ptrdiff_t block = i / t.column_blocks;
    const ptrdiff_t column = i % t.column_blocks * TENON_TRANSPOSE_COLUMNS;
    const ptrdiff_t matrix = block / t.row_blocks;
    ptrdiff_t row = block % t.row_blocks * TENON_TRANSPOSE_ROWS;
    ptrdiff_t rows = t.rows - row, columns = t.columns - column;
    const int32_t *x = (const int32_t *)c->in[0].data +
                       tenon_transpose_at(&t, matrix) + column * t.step + row;
    int32_t *y = (int32_t *)c->out[0].data +
                 (matrix * t.rows + row) * t.columns + column;
    if (t.columns == 3) {  // all blocks of a matrix in one run
      const ptrdiff_t left = t.row_blocks - block % t.row_blocks;
      const ptrdiff_t n = (ptrdiff_t)end - i < left ? (ptrdiff_t)end - i : left;
      if (rows > n * TENON_TRANSPOSE_ROWS) rows = n * TENON_TRANSPOSE_ROWS;
      tenon_permute_b4_colours(x, t.step, y, rows);
      i += n - 1;
      continue;
    }
    if (rows > TENON_TRANSPOSE_ROWS) rows = TENON_TRANSPOSE_ROWS;
    if (columns > TENON_TRANSPOSE_COLUMNS) columns = TENON_TRANSPOSE_COLUMNS;
    for (; rows > 0; rows -= TENON_PERMUTE_ROWS, x += TENON_PERMUTE_ROWS,
                     y += TENON_PERMUTE_ROWS * t.columns)
      tenon_permute_b4_block(
          x, t.step, y, t.columns,
          rows < TENON_PERMUTE_ROWS ? rows : TENON_PERMUTE_ROWS, columns);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_PERMUTE_B4_OPT_H
