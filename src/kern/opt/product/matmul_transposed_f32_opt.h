// kern/opt/product/matmul_transposed_f32_opt.h - core::matmul_transposed on
// floats.
//
// A block of rows of b is turned around in the first cache and then read as
// core::matmul reads its columns, for all rows of a at hand: so b is read once
// and copied nowhere else. Each output is the same chain over k as in the
// reference; between two parts of it the sum waits in the result. Where there
// are fewer columns than a register has, lanes are rows.
#ifndef TENON_KERN_OPT_MATMUL_TRANSPOSED_F32_OPT_H
#define TENON_KERN_OPT_MATMUL_TRANSPOSED_F32_OPT_H

#include "kern/opt/permute_b4_opt.h"
#include "kern/opt/product/matmul_narrow_f32_opt.h"
#include "kern/opt/vectors.h"
#include "kern/product/matmul.h"

enum {
  TENON_TURNED_COLUMNS = 2 * TENON_VL,  // of the result
  TENON_TURNED_DEPTH = 128
};

// `rows` rows of a with a turned block, to rows of y that are n apart.
TENON_FLAT void tenon_turned_f32_tile(const float *a, const float *block,
                                      float *y, ptrdiff_t depth, ptrdiff_t some,
                                      ptrdiff_t n, bool is_first,
                                      const int rows) {
  tenon_vf sum[4][2];
  TENON_UNROLL
  for (int r = 0; r < rows; ++r) {
    TENON_UNROLL
    for (int v = 0; v < 2; ++v)
      sum[r][v] =
          is_first ? (tenon_vf){0} : tenon_vf_load(y + r * n + v * TENON_VL);
  }
  for (ptrdiff_t k = 0; k < some; ++k, block += TENON_TURNED_COLUMNS) {
    TENON_UNROLL
    for (int v = 0; v < 2; ++v) {
      const tenon_vf column = tenon_vf_load(block + v * TENON_VL);
      TENON_UNROLL
      for (int r = 0; r < rows; ++r)
        sum[r][v] =
            tenon_vf_fma(tenon_vf_splat(a[r * depth + k]), column, sum[r][v]);
    }
  }
  TENON_UNROLL
  for (int r = 0; r < rows; ++r) {
    TENON_UNROLL
    for (int v = 0; v < 2; ++v)
      tenon_vf_store(y + r * n + v * TENON_VL, sum[r][v]);
  }
}

// The same for `left` columns of y alone, one row.
TENON_APART void tenon_turned_f32_edge(const float *a, const float *block,
                                       float *y, ptrdiff_t depth,
                                       ptrdiff_t some, ptrdiff_t left,
                                       bool is_first) {
  float edge[TENON_TURNED_COLUMNS] = {0};
  for (ptrdiff_t i = 0; i < left && !is_first; ++i)
    edge[i] = y[i];
  tenon_turned_f32_tile(a, block, edge, depth, some, 0, is_first, 1);
  for (ptrdiff_t i = 0; i < left; ++i)
    y[i] = edge[i];
}

// m rows of a matrix product; neighbours in y are n apart.
TENON_APART void tenon_turned_f32_rows(const float *a, const float *b, float *y,
                                       ptrdiff_t m, ptrdiff_t depth,
                                       ptrdiff_t n) {
  float block[TENON_TURNED_DEPTH * TENON_TURNED_COLUMNS];
  for (ptrdiff_t j = 0; j < n; j += TENON_TURNED_COLUMNS) {
    const ptrdiff_t left =
        n - j < TENON_TURNED_COLUMNS ? n - j : TENON_TURNED_COLUMNS;
    const bool is_whole = left == TENON_TURNED_COLUMNS;
    if (!is_whole) memset(block, 0, sizeof block);
    for (ptrdiff_t k = 0; k < depth || k == 0; k += TENON_TURNED_DEPTH) {
      const ptrdiff_t some =
          depth - k < TENON_TURNED_DEPTH ? depth - k : TENON_TURNED_DEPTH;
      tenon_permute_b4_block((const int32_t *)(const void *)(b + j * depth + k),
                             depth, (int32_t *)(void *)block,
                             TENON_TURNED_COLUMNS, some, left);
      ptrdiff_t r = 0;
      for (; is_whole && r + 4 <= m; r += 4)
        tenon_turned_f32_tile(a + r * depth + k, block, y + r * n + j, depth,
                              some, n, k == 0, 4);
      for (; is_whole && r < m; ++r)
        tenon_turned_f32_tile(a + r * depth + k, block, y + r * n + j, depth,
                              some, n, k == 0, 1);
      for (; r < m; ++r)
        tenon_turned_f32_edge(a + r * depth + k, block, y + r * n + j, depth,
                              some, left, k == 0);
    }
  }
}

TENON_FLAT tenon_status tenon_matmul_transposed_f32_run(const tenon_call *c,
                                                        int64_t begin,
                                                        int64_t end) {
  const tenon_tensor *p = &c->in[0], *q = &c->in[1], *y = &c->out[0];
  const ptrdiff_t m = p->dims[p->rank - 2], depth = p->dims[p->rank - 1];
  const ptrdiff_t n = q->dims[q->rank - 2];
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end;) {
    ptrdiff_t rows = m - row % m;
    if (rows > (ptrdiff_t)end - row) rows = (ptrdiff_t)end - row;
    const float *a = (const float *)p->data + tenon_matmul_at(p, y, row / m) +
                     row % m * depth;
    const float *b = (const float *)q->data + tenon_matmul_at(q, y, row / m);
    float *to = (float *)y->data + row * n;
    if (tenon_slim_is(rows, n))
      tenon_slim_f32(a, (tenon_slim_b){b, 1, depth}, to, rows, depth, n);
    else
      tenon_turned_f32_rows(a, b, to, rows, depth, n);
    row += rows;
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_MATMUL_TRANSPOSED_F32_OPT_H
