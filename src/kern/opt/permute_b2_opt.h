// kern/opt/permute_b2_opt.h - permutations of elements of two bytes: squares of
// eight by eight in registers, or lines.
#ifndef TENON_KERN_OPT_PERMUTE_B2_OPT_H
#define TENON_KERN_OPT_PERMUTE_B2_OPT_H

#include "kern/opt/permute.h"

// Whatever the width of a register.
typedef int16_t tenon_b2x8 __attribute__((vector_size(16)));
typedef int16_t tenon_b2x8_at
    __attribute__((vector_size(16), aligned(2), may_alias));

#if TENON_HAS_BUILTIN(__builtin_shufflevector)
#define TENON_SHUFFLE8(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define TENON_SHUFFLE8(a, b, ...) \
  __builtin_shuffle(a, b, (tenon_b2x8){__VA_ARGS__})
#endif

// Eight columns of x, `step` apart, to eight rows of y, n apart. Each time rows
// four apart are interleaved, the upper bit of a row becomes the lower one of a
// column, and that of a column the lower one of a row.
TENON_FLAT void tenon_permute_b2_square(const int16_t *x, ptrdiff_t step,
                                        int16_t *y, ptrdiff_t n) {
  tenon_b2x8 v[8], w[8];
  TENON_UNROLL
  for (int i = 0; i < 8; ++i)
    v[i] = *(const tenon_b2x8_at *)(x + i * step);
#define TENON_INTERLEAVE8(to, from)                                       \
  TENON_UNROLL                                                            \
  for (int i = 0; i < 4; ++i) {                                           \
    to[2 * i] =                                                           \
        TENON_SHUFFLE8(from[i], from[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);   \
    to[2 * i + 1] =                                                       \
        TENON_SHUFFLE8(from[i], from[i + 4], 4, 12, 5, 13, 6, 14, 7, 15); \
  }
  TENON_INTERLEAVE8(w, v)
  TENON_INTERLEAVE8(v, w)
  TENON_INTERLEAVE8(w, v)
#undef TENON_INTERLEAVE8
  TENON_UNROLL
  for (int i = 0; i < 8; ++i)
    *(tenon_b2x8_at *)(y + i * n) = w[i];
}

// Rows of a block whose lines stay in the first-level cache.
enum { TENON_PERMUTE_B2_ROWS = 32 };

// At least a square; the last ones are moved again in part.
TENON_APART void tenon_permute_b2_squares(const int16_t *x, ptrdiff_t step,
                                          int16_t *y, ptrdiff_t n,
                                          ptrdiff_t rows, ptrdiff_t columns) {
  for (ptrdiff_t first = 0; first < rows; first += TENON_PERMUTE_B2_ROWS) {
    const ptrdiff_t last = first + TENON_PERMUTE_B2_ROWS;
    for (ptrdiff_t k = 0; k < columns; k += 8) {
      const ptrdiff_t j = k + 8 > columns ? columns - 8 : k;
      for (ptrdiff_t i = first; i < last && i < rows; i += 8) {
        const ptrdiff_t r = i + 8 > rows ? rows - 8 : i;
        tenon_permute_b2_square(x + j * step + r, step, y + r * n + j, n);
      }
    }
  }
}

// Rows that are narrower than a square, or few of them.
TENON_FLAT void tenon_permute_b2_some(const int16_t *x, ptrdiff_t step,
                                      int16_t *y, ptrdiff_t n, ptrdiff_t rows,
                                      const ptrdiff_t columns) {
  for (ptrdiff_t r = 0; r < rows; ++r)
    for (ptrdiff_t k = 0; k < columns; ++k)
      y[r * n + k] = x[k * step + r];
}

static __attribute__((unused)) void tenon_permute_b2_move(
    const tenon_transpose *t, ptrdiff_t rows, ptrdiff_t columns, const char *px,
    char *py) {
  const int16_t *x = (const int16_t *)(const void *)px;
  int16_t *y = (int16_t *)(void *)py;
  const ptrdiff_t step = t->step, n = t->width;
  if (step == 1)
    for (; rows > 0; --rows, x += t->row_step, y += n)
      memcpy(y, x, (size_t)columns * sizeof *y);
  else if (rows >= 8 && columns >= 8)
    tenon_permute_b2_squares(x, step, y, n, rows, columns);
  else if (columns == 3)
    tenon_permute_b2_some(x, step, y, n, rows, 3);
  else
    tenon_permute_b2_some(x, step, y, n, rows, columns);
}

#endif  // TENON_KERN_OPT_PERMUTE_B2_OPT_H
