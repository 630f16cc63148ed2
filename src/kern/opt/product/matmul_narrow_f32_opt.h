// kern/opt/product/matmul_narrow_f32_opt.h - products of matrices of floats
// with fewer columns than a register has lanes: the lanes are rows, which are
// turned for it. Each output is the same chain over k as in the reference.
#ifndef TENON_KERN_OPT_MATMUL_NARROW_F32_OPT_H
#define TENON_KERN_OPT_MATMUL_NARROW_F32_OPT_H

#include "kern/opt/rows/turned_f32_opt.h"

// Whether `rows` rows of so many columns are worth it.
TENON_FLAT bool tenon_slim_is(ptrdiff_t rows, ptrdiff_t n) {
  return n < TENON_VL && 2 * rows >= TENON_VL;
}

// A matrix of some columns: from an element to the next of its column and of
// its row.
typedef struct tenon_slim_b {
  const float *data;
  ptrdiff_t down, across;
} tenon_slim_b;

// `wide` columns from j on of all turned rows, over k up to `some`.
TENON_FLAT void tenon_slim_tile(const float *a, const tenon_slim_b *b,
                                ptrdiff_t j, ptrdiff_t some, const int wide,
                                tenon_vf *sums) {
  tenon_vf sum[4];
  const float *from = b->data + j * b->across;
  TENON_UNROLL
  for (int v = 0; v < wide; ++v)
    sum[v] = sums[j + v];
  for (ptrdiff_t k = 0; k < some; ++k, from += b->down) {
    const tenon_vf row = tenon_vf_load(a + k * TENON_VL);
    TENON_UNROLL
    for (int v = 0; v < wide; ++v)
      sum[v] = tenon_vf_fma(row, tenon_vf_splat(from[v * b->across]), sum[v]);
  }
  TENON_UNROLL
  for (int v = 0; v < wide; ++v)
    sums[j + v] = sum[v];
}

// `rows` rows, at most as many as a register has lanes, of a [rows, depth]; of
// y [rows, n] each is one behind the other.
static void tenon_slim_rows(const float *a, tenon_slim_b b, float *y,
                            ptrdiff_t rows, ptrdiff_t depth, ptrdiff_t n) {
  int32_t turned[TENON_TURNED * TENON_VL];
  const float *each = (const float *)(const void *)turned;
  float lanes[TENON_VL];
  tenon_vf sums[TENON_VL];
  for (ptrdiff_t j = 0; j < n; ++j)
    sums[j] = (tenon_vf){0};
  if (rows < TENON_VL) memset(turned, 0, sizeof turned);
  for (ptrdiff_t k = 0; k < depth; k += TENON_TURNED) {
    const ptrdiff_t some = depth - k < TENON_TURNED ? depth - k : TENON_TURNED;
    ptrdiff_t j = 0;
    tenon_turn_rows(a + k, some, depth, rows, TENON_VL, turned);
    for (; j + 4 <= n; j += 4)
      tenon_slim_tile(each, &b, j, some, 4, sums);
    for (; j < n; ++j)
      tenon_slim_tile(each, &b, j, some, 1, sums);
    b.data += some * b.down;
  }
  if (n == 1) {
    tenon_vf_store_part(y, sums[0], rows);
    return;
  }
  for (ptrdiff_t j = 0; j < n; ++j) {
    tenon_vf_store(lanes, sums[j]);
    for (ptrdiff_t r = 0; r < rows; ++r)
      y[r * n + j] = lanes[r];
  }
}

// m rows, as many at a time as a register has lanes.
static void tenon_slim_f32(const float *a, tenon_slim_b b, float *y,
                           ptrdiff_t m, ptrdiff_t depth, ptrdiff_t n) {
  for (ptrdiff_t r = 0; r < m; r += TENON_VL)
    tenon_slim_rows(a + r * depth, b, y + r * n,
                    m - r < TENON_VL ? m - r : TENON_VL, depth, n);
}

#endif  // TENON_KERN_OPT_MATMUL_NARROW_F32_OPT_H
