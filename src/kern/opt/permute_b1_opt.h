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

// Threes: one byte of each of three lines, side by side. Without a shuffle of
// any bytes they are no faster so.
#if TENON_VL > 4 || defined(__aarch64__)
// 16 bytes of each of three lines, `step` apart, to 48.
TENON_FLAT void tenon_permute_b1_join(const uint8_t *x, ptrdiff_t step,
                                      uint8_t *y) {
  tenon_b1x16 v[3], w[3];
  TENON_UNROLL
  for (int i = 0; i < 3; ++i)
    memcpy(&v[i], x + i * step, 16);
  // What is not there yet is the element that it is taken for.
  w[0] = TENON_SHUFFLE16(v[0], v[1], 0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4,
                         20, 0, 5);
  w[0] = TENON_SHUFFLE16(w[0], v[2], 0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19,
                         12, 13, 20, 15);
  w[1] = TENON_SHUFFLE16(v[0], v[1], 21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25,
                         0, 10, 26);
  w[1] = TENON_SHUFFLE16(w[1], v[2], 0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11,
                         12, 25, 14, 15);
  w[2] = TENON_SHUFFLE16(v[0], v[1], 0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30,
                         0, 15, 31, 0);
  w[2] = TENON_SHUFFLE16(w[2], v[2], 26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11,
                         30, 13, 14, 31);
  TENON_UNROLL
  for (int i = 0; i < 3; ++i)
    memcpy(y + 16 * i, &w[i], 16);
}

// And back, to lines n apart.
TENON_FLAT void tenon_permute_b1_part(const uint8_t *x, uint8_t *y,
                                      ptrdiff_t n) {
  tenon_b1x16 v[3], w[3];
  TENON_UNROLL
  for (int i = 0; i < 3; ++i)
    memcpy(&v[i], x + 16 * i, 16);
  w[0] = TENON_SHUFFLE16(v[0], v[1], 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0,
                         0, 0, 0, 0);
  w[0] = TENON_SHUFFLE16(w[0], v[2], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 20,
                         23, 26, 29);
  w[1] = TENON_SHUFFLE16(v[0], v[1], 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 0,
                         0, 0, 0, 0);
  w[1] = TENON_SHUFFLE16(w[1], v[2], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 18, 21,
                         24, 27, 30);
  w[2] = TENON_SHUFFLE16(v[0], v[1], 2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 0, 0,
                         0, 0, 0, 0);
  w[2] = TENON_SHUFFLE16(w[2], v[2], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 19, 22,
                         25, 28, 31);
  TENON_UNROLL
  for (int i = 0; i < 3; ++i)
    memcpy(y + i * n, &w[i], 16);
}

// At least 16 of three; the last ones are moved again in part.
TENON_APART void tenon_permute_b1_joins(const uint8_t *x, ptrdiff_t step,
                                        uint8_t *y, ptrdiff_t rows) {
  for (ptrdiff_t i = 0; i < rows; i += 16) {
    const ptrdiff_t r = i + 16 > rows ? rows - 16 : i;
    tenon_permute_b1_join(x + r, step, y + 3 * r);
  }
}
TENON_APART void tenon_permute_b1_parts(const uint8_t *x, uint8_t *y,
                                        ptrdiff_t n, ptrdiff_t columns) {
  for (ptrdiff_t k = 0; k < columns; k += 16) {
    const ptrdiff_t j = k + 16 > columns ? columns - 16 : k;
    tenon_permute_b1_part(x + 3 * j, y + j, n);
  }
}
#endif

// Whether these were threes, which it has moved.
TENON_FLAT bool tenon_permute_b1_threes(const uint8_t *x, ptrdiff_t step,
                                        uint8_t *y, ptrdiff_t n, ptrdiff_t rows,
                                        ptrdiff_t columns) {
#if TENON_VL > 4 || defined(__aarch64__)
  if (rows >= 16 && columns == 3 && n == 3) {
    tenon_permute_b1_joins(x, step, y, rows);
    return true;
  }
  if (rows == 3 && step == 3 && columns >= 16) {
    tenon_permute_b1_parts(x, y, n, columns);
    return true;
  }
#endif
  (void)x, (void)step, (void)y, (void)n, (void)rows, (void)columns;
  return false;
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
  else if (tenon_permute_b1_threes(x, step, y, n, rows, columns))
    return;
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
