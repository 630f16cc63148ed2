// kern/opt/permute_b4_opt.h - permutations of elements of four bytes: squares
// in registers, or lines.
#ifndef TENON_KERN_OPT_PERMUTE_B4_OPT_H
#define TENON_KERN_OPT_PERMUTE_B4_OPT_H

#include "kern/opt/permute.h"

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

// The colours of at least four pixels to a line each, n apart; the last four
// are moved again in part.
TENON_APART void tenon_permute_b4_planes(const int32_t *x, int32_t *y,
                                         ptrdiff_t n, ptrdiff_t columns) {
  for (ptrdiff_t k = 0; k < columns; k += 4) {
    const ptrdiff_t j = k + 4 > columns ? columns - 4 : k;
    const tenon_b4x4 a = *(const tenon_b4x4_at *)(x + 3 * j);
    const tenon_b4x4 b = *(const tenon_b4x4_at *)(x + 3 * j + 4);
    const tenon_b4x4 c = *(const tenon_b4x4_at *)(x + 3 * j + 8);
    const tenon_b4x4 bc = TENON_SHUFFLE4(b, c, 2, 3, 5, 6);
    const tenon_b4x4 ab = TENON_SHUFFLE4(a, b, 1, 2, 4, 5);
    *(tenon_b4x4_at *)(y + j) = TENON_SHUFFLE4(a, bc, 0, 3, 4, 6);
    *(tenon_b4x4_at *)(y + n + j) = TENON_SHUFFLE4(ab, bc, 0, 2, 5, 7);
    *(tenon_b4x4_at *)(y + 2 * n + j) = TENON_SHUFFLE4(ab, c, 1, 3, 4, 7);
  }
}

// Four rows of two, one behind the other.
TENON_FLAT void tenon_permute_b4_two(const int32_t *x, ptrdiff_t step,
                                     int32_t *y) {
  const tenon_b4x4 a = *(const tenon_b4x4_at *)x;
  const tenon_b4x4 b = *(const tenon_b4x4_at *)(x + step);
  *(tenon_b4x4_at *)y = TENON_SHUFFLE4(a, b, 0, 4, 1, 5);
  *(tenon_b4x4_at *)(y + 4) = TENON_SHUFFLE4(a, b, 2, 6, 3, 7);
}

#if TENON_VL > 4
// Lane k where columns and rows k with bit b and without it change places.
#define TENON_SWAP_LOW(k, b) ((k) & (b) ? TENON_VL + (k) - (b) : (k))
#define TENON_SWAP_HIGH(k, b) ((k) & (b) ? TENON_VL + (k) : (k) + (b))
#define TENON_SWAP_4(how, k, b) \
  how(k, b), how(k + 1, b), how(k + 2, b), how(k + 3, b)
#if TENON_VL == 16
#define TENON_SWAP_LANES(how, b)                                             \
  TENON_SWAP_4(how, 0, b), TENON_SWAP_4(how, 4, b), TENON_SWAP_4(how, 8, b), \
      TENON_SWAP_4(how, 12, b)
#define TENON_EACH_SWAP(X) X(1) X(2) X(4) X(8)
#else
#define TENON_SWAP_LANES(how, b) \
  TENON_SWAP_4(how, 0, b), TENON_SWAP_4(how, 4, b)
#define TENON_EACH_SWAP(X) X(1) X(2) X(4)
#endif
#if TENON_HAS_BUILTIN(__builtin_shufflevector)
#define TENON_SWAP(a, b, how, bit) \
  __builtin_shufflevector(a, b, TENON_SWAP_LANES(how, bit))
#else
#define TENON_SWAP(a, b, how, bit) \
  __builtin_shuffle(a, b, (tenon_vi){TENON_SWAP_LANES(how, bit)})
#endif

// Of `count` registers v, each of a row, columns and rows.
#define TENON_SWAP_ALL(count, bit)                                            \
  TENON_UNROLL                                                                \
  for (int i = 0; i < (count); ++i) {                                         \
    if (i & (bit)) continue;                                                  \
    const tenon_vi low = TENON_SWAP(v[i], v[i + (bit)], TENON_SWAP_LOW, bit); \
    v[i + (bit)] = TENON_SWAP(v[i], v[i + (bit)], TENON_SWAP_HIGH, bit);      \
    v[i] = low;                                                               \
  }

// A square of whole registers: each line of a cache is loaded once and stored
// once, however many of them share a place in it.
TENON_APART void tenon_permute_b4_tile(const int32_t *x, ptrdiff_t step,
                                       int32_t *y, ptrdiff_t n) {
  tenon_vi v[TENON_VL];
  TENON_UNROLL
  for (int i = 0; i < TENON_VL; ++i)
    v[i] = tenon_vi_load(x + i * step);
#define TENON_SWAP_TILE(bit) TENON_SWAP_ALL(TENON_VL, bit)
  TENON_EACH_SWAP(TENON_SWAP_TILE)
#undef TENON_SWAP_TILE
  TENON_UNROLL
  for (int i = 0; i < TENON_VL; ++i)
    tenon_vi_store(y + i * n, v[i]);
}

// At least a square; the last ones are moved again in part.
static void tenon_permute_b4_tiles(const int32_t *x, ptrdiff_t step, int32_t *y,
                                   ptrdiff_t n, ptrdiff_t rows,
                                   ptrdiff_t columns) {
  for (ptrdiff_t r = 0; r < rows; r += TENON_VL) {
    if (r + TENON_VL > rows) r = rows - TENON_VL;
    for (ptrdiff_t j = 0; j < columns; j += TENON_VL) {
      if (j + TENON_VL > columns) j = columns - TENON_VL;
      tenon_permute_b4_tile(x + j * step + r, step, y + r * n + j, n);
    }
  }
}
#endif

// `rows` rows of y of `columns` each, n apart.
static void tenon_permute_b4_block(const int32_t *x, ptrdiff_t step, int32_t *y,
                                   ptrdiff_t n, ptrdiff_t rows,
                                   ptrdiff_t columns) {
  ptrdiff_t r, j = 0;
  if (columns == 2 && n == 2) {
    for (; rows >= 4; rows -= 4, x += 4, y += 8)
      tenon_permute_b4_two(x, step, y);
  }
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

// The same of any size.
static void tenon_permute_b4_turn(const int32_t *x, ptrdiff_t step, int32_t *y,
                                  ptrdiff_t n, ptrdiff_t rows,
                                  ptrdiff_t columns) {
#if TENON_VL > 4
  if (rows >= TENON_VL && columns >= TENON_VL) {
    tenon_permute_b4_tiles(x, step, y, n, rows, columns);
    return;
  }
#endif
  for (; rows > 0; rows -= TENON_PERMUTE_ROWS, x += TENON_PERMUTE_ROWS,
                   y += TENON_PERMUTE_ROWS * n)
    tenon_permute_b4_block(
        x, step, y, n, rows < TENON_PERMUTE_ROWS ? rows : TENON_PERMUTE_ROWS,
        columns);
}

// Lines of as many elements. Those of a few go without a call.
static void tenon_permute_b4_lines(const int32_t *x, ptrdiff_t row_step,
                                   int32_t *y, ptrdiff_t width, ptrdiff_t rows,
                                   ptrdiff_t columns) {
  for (; rows > 0; --rows, x += row_step, y += width) {
    if (columns > 64) {
      memcpy(y, x, (size_t)columns * sizeof *y);
    } else if (columns >= 4) {
      ptrdiff_t j = 0;
      for (; j + 4 <= columns; j += 4)
        *(tenon_b4x4_at *)(y + j) = *(const tenon_b4x4_at *)(x + j);
      if (j < columns)
        *(tenon_b4x4_at *)(y + columns - 4) =
            *(const tenon_b4x4_at *)(x + columns - 4);
    } else {
      for (ptrdiff_t j = 0; j < columns; ++j)
        y[j] = x[j];
    }
  }
}

static __attribute__((unused)) void tenon_permute_b4_move(
    const tenon_transpose *t, ptrdiff_t rows, ptrdiff_t columns, const char *px,
    char *py) {
  const int32_t *x = (const int32_t *)(const void *)px;
  int32_t *y = (int32_t *)(void *)py;
  if (t->step == 1)
    tenon_permute_b4_lines(x, t->row_step, y, t->width, rows, columns);
  else if (columns == 3 && t->width == 3)
    tenon_permute_b4_colours(x, t->step, y, rows);
  else if (rows == 3 && t->step == 3 && columns >= 4)
    tenon_permute_b4_planes(x, y, t->width, columns);
  else
    tenon_permute_b4_turn(x, t->step, y, t->width, rows, columns);
}

#endif  // TENON_KERN_OPT_PERMUTE_B4_OPT_H
