// kern/opt/permute_b1_opt.h - permutations of elements of one byte: tiles of
// 16 by up to 16 in registers, or lines.
#ifndef TENON_KERN_OPT_PERMUTE_B1_OPT_H
#define TENON_KERN_OPT_PERMUTE_B1_OPT_H

#include "kern/opt/permute.h"

// Whatever the width of a register.
typedef uint8_t tenon_b1x16 __attribute__((vector_size(16)));

#if TENON_HAS_BUILTIN(__builtin_shufflevector)
#define TENON_SHUFFLE16(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define TENON_SHUFFLE16(a, b, ...) \
  __builtin_shuffle(a, b, (tenon_b1x16){__VA_ARGS__})
#endif

// Interleaves the first half of the bytes of `count` registers with the second:
// the upper bit of the place of a byte becomes the lowest.
TENON_FLAT void tenon_permute_b1_weave(tenon_b1x16 *v, const int count) {
  tenon_b1x16 w[16];
  TENON_UNROLL
  for (int i = 0; i < count / 2; ++i) {
    const tenon_b1x16 a = v[i], b = v[i + count / 2];
    w[2 * i] = TENON_SHUFFLE16(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21,
                               6, 22, 7, 23);
    w[2 * i + 1] = TENON_SHUFFLE16(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28,
                                   13, 29, 14, 30, 15, 31);
  }
  TENON_UNROLL
  for (int i = 0; i < count; ++i)
    v[i] = w[i];
}

// `columns` columns of x (a power of two), `step` apart, to 16 rows of y, n
// apart: as often as the number of a column has bits.
TENON_FLAT void tenon_permute_b1_tall(const uint8_t *x, ptrdiff_t step,
                                      uint8_t *y, ptrdiff_t n,
                                      const int columns) {
  tenon_b1x16 v[16];
  TENON_UNROLL
  for (int i = 0; i < columns; ++i)
    memcpy(&v[i], x + i * step, 16);
  TENON_UNROLL
  for (int i = 1; i < columns; i *= 2)
    tenon_permute_b1_weave(v, columns);
  if (n == columns) {
    TENON_UNROLL
    for (int i = 0; i < columns; ++i)
      memcpy(y + 16 * i, &v[i], 16);
    return;
  }
  TENON_UNROLL
  for (int i = 0; i < 16; ++i)
    memcpy(y + i * n, (const char *)v + i * columns, (size_t)columns);
}

// 16 columns of x to `rows` rows of y (a power of two): a column has a number
// of four bits.
TENON_FLAT void tenon_permute_b1_wide(const uint8_t *x, ptrdiff_t step,
                                      uint8_t *y, ptrdiff_t n, const int rows) {
  tenon_b1x16 v[16];
  if (step == rows) {
    TENON_UNROLL
    for (int i = 0; i < rows; ++i)
      memcpy(&v[i], x + 16 * i, 16);
  } else {
    TENON_UNROLL
    for (int i = 0; i < 16; ++i)
      memcpy((char *)v + i * rows, x + i * step, (size_t)rows);
  }
  TENON_UNROLL
  for (int i = 0; i < 4; ++i)
    tenon_permute_b1_weave(v, rows);
  TENON_UNROLL
  for (int i = 0; i < rows; ++i)
    memcpy(y + i * n, &v[i], 16);
}

// Rows of a block whose lines stay in the first-level cache.
enum { TENON_PERMUTE_B1_ROWS = 32 };

// At least 16 of both; the last ones are moved again in part.
TENON_APART void tenon_permute_b1_squares(const uint8_t *x, ptrdiff_t step,
                                          uint8_t *y, ptrdiff_t n,
                                          ptrdiff_t rows, ptrdiff_t columns) {
  for (ptrdiff_t first = 0; first < rows; first += TENON_PERMUTE_B1_ROWS) {
    const ptrdiff_t last = first + TENON_PERMUTE_B1_ROWS;
    for (ptrdiff_t k = 0; k < columns; k += 16) {
      const ptrdiff_t j = k + 16 > columns ? columns - 16 : k;
      for (ptrdiff_t i = first; i < last && i < rows; i += 16) {
        const ptrdiff_t r = i + 16 > rows ? rows - 16 : i;
        tenon_permute_b1_tall(x + j * step + r, step, y + r * n + j, n, 16);
      }
    }
  }
}

// At least 16 rows of `columns`.
TENON_FLAT void tenon_permute_b1_talls(const uint8_t *x, ptrdiff_t step,
                                       uint8_t *y, ptrdiff_t n, ptrdiff_t rows,
                                       const int columns) {
  for (ptrdiff_t i = 0; i < rows; i += 16) {
    const ptrdiff_t r = i + 16 > rows ? rows - 16 : i;
    tenon_permute_b1_tall(x + r, step, y + r * n, n, columns);
  }
}

// At least 16 columns of `rows`.
TENON_FLAT void tenon_permute_b1_wides(const uint8_t *x, ptrdiff_t step,
                                       uint8_t *y, ptrdiff_t n,
                                       ptrdiff_t columns, const int rows) {
  for (ptrdiff_t k = 0; k < columns; k += 16) {
    const ptrdiff_t j = k + 16 > columns ? columns - 16 : k;
    tenon_permute_b1_wide(x + j * step, step, y + j, n, rows);
  }
}

// Byte by byte.
TENON_FLAT void tenon_permute_b1_some(const uint8_t *x, ptrdiff_t step,
                                      uint8_t *y, ptrdiff_t n, ptrdiff_t rows,
                                      ptrdiff_t columns) {
  for (ptrdiff_t r = 0; r < rows; ++r)
    for (ptrdiff_t k = 0; k < columns; ++k)
      y[r * n + k] = x[k * step + r];
}

// At least 16 rows of fewer than 16 columns: eight, four, two and one.
TENON_APART void tenon_permute_b1_narrow(const uint8_t *x, ptrdiff_t step,
                                         uint8_t *y, ptrdiff_t n,
                                         ptrdiff_t rows, ptrdiff_t columns) {
  ptrdiff_t j = 0;
  if (columns & 8) tenon_permute_b1_talls(x, step, y, n, rows, 8);
  j += columns & 8;
  if (columns & 4)
    tenon_permute_b1_talls(x + j * step, step, y + j, n, rows, 4);
  j += columns & 4;
  if (columns & 2)
    tenon_permute_b1_talls(x + j * step, step, y + j, n, rows, 2);
  j += columns & 2;
  if (columns & 1) tenon_permute_b1_some(x + j * step, step, y + j, n, rows, 1);
}

// At least 16 columns of fewer than 16 rows.
TENON_APART void tenon_permute_b1_low(const uint8_t *x, ptrdiff_t step,
                                      uint8_t *y, ptrdiff_t n, ptrdiff_t rows,
                                      ptrdiff_t columns) {
  ptrdiff_t r = 0;
  if (rows & 8) tenon_permute_b1_wides(x, step, y, n, columns, 8);
  r += rows & 8;
  if (rows & 4) tenon_permute_b1_wides(x + r, step, y + r * n, n, columns, 4);
  r += rows & 4;
  if (rows & 2) tenon_permute_b1_wides(x + r, step, y + r * n, n, columns, 2);
  r += rows & 2;
  if (rows & 1) tenon_permute_b1_some(x + r, step, y + r * n, n, 1, columns);
}

// Lines of at least `some` bytes and, but for those of 16, of fewer than twice
// as many. The last piece is moved again in part.
TENON_FLAT void tenon_permute_b1_pieces(const uint8_t *x, ptrdiff_t row_step,
                                        uint8_t *y, ptrdiff_t n, ptrdiff_t rows,
                                        ptrdiff_t columns, const int some) {
  for (; rows > 0; --rows, x += row_step, y += n) {
    for (ptrdiff_t j = 0; j + some < columns; j += some)
      memcpy(y + j, x + j, (size_t)some);
    memcpy(y + columns - some, x + columns - some, (size_t)some);
  }
}

// Lines of as many elements. Those of a few go without a call.
TENON_APART void tenon_permute_b1_lines(const uint8_t *x, ptrdiff_t row_step,
                                        uint8_t *y, ptrdiff_t n, ptrdiff_t rows,
                                        ptrdiff_t columns) {
  if (columns > 256)
    for (; rows > 0; --rows, x += row_step, y += n)
      memcpy(y, x, (size_t)columns);
  else if (columns >= 16)
    tenon_permute_b1_pieces(x, row_step, y, n, rows, columns, 16);
  else if (columns >= 8)
    tenon_permute_b1_pieces(x, row_step, y, n, rows, columns, 8);
  else if (columns >= 4)
    tenon_permute_b1_pieces(x, row_step, y, n, rows, columns, 4);
  else if (columns >= 2)
    tenon_permute_b1_pieces(x, row_step, y, n, rows, columns, 2);
  else
    tenon_permute_b1_pieces(x, row_step, y, n, rows, columns, 1);
}

static __attribute__((unused)) void tenon_permute_b1_move(
    const tenon_transpose *t, ptrdiff_t rows, ptrdiff_t columns, const char *px,
    char *py) {
  const uint8_t *x = (const uint8_t *)(const void *)px;
  uint8_t *y = (uint8_t *)(void *)py;
  const ptrdiff_t step = t->step, n = t->width;
  if (step == 1)
    tenon_permute_b1_lines(x, t->row_step, y, n, rows, columns);
  else if (rows >= 16 && columns >= 16)
    tenon_permute_b1_squares(x, step, y, n, rows, columns);
  else if (rows >= 16)
    tenon_permute_b1_narrow(x, step, y, n, rows, columns);
  else if (columns >= 16)
    tenon_permute_b1_low(x, step, y, n, rows, columns);
  else
    tenon_permute_b1_some(x, step, y, n, rows, columns);
}

#endif  // TENON_KERN_OPT_PERMUTE_B1_OPT_H
