// kern/opt/product/matmul_f32_opt.h - core::matmul on floats, a few rows and a
// few registers of columns at a time.
//
// Neither operand is known before a run, so nothing is packed: rows of b are
// read as they lie. Each output is the same chain over k as in the reference.
// The last columns are computed with those before them once more; where there
// are fewer than a register has, lanes are rows, or they go one at a time.
#ifndef TENON_KERN_OPT_MATMUL_F32_OPT_H
#define TENON_KERN_OPT_MATMUL_F32_OPT_H

#include <math.h>

#include "kern/opt/product/matmul_narrow_f32_opt.h"
#include "kern/opt/vectors.h"
#include "kern/product/matmul.h"

// `rows` rows of a [rows, depth] with `wide` registers of columns of b.
TENON_FLAT void tenon_matmul_f32_tile(const float *a, const float *b, float *y,
                                      ptrdiff_t depth, ptrdiff_t n,
                                      const int rows, const int wide) {
  tenon_vf sum[4][2];
  TENON_UNROLL
  for (int r = 0; r < rows; ++r) {
    TENON_UNROLL
    for (int v = 0; v < wide; ++v)
      sum[r][v] = (tenon_vf){0};
  }
  for (ptrdiff_t k = 0; k < depth; ++k, b += n) {
    TENON_UNROLL
    for (int v = 0; v < wide; ++v) {
      const tenon_vf column = tenon_vf_load(b + v * TENON_VL);
      TENON_UNROLL
      for (int r = 0; r < rows; ++r)
        sum[r][v] =
            tenon_vf_fma(tenon_vf_splat(a[r * depth + k]), column, sum[r][v]);
    }
  }
  TENON_UNROLL
  for (int r = 0; r < rows; ++r) {
    TENON_UNROLL
    for (int v = 0; v < wide; ++v)
      tenon_vf_store(y + r * n + v * TENON_VL, sum[r][v]);
  }
}

TENON_FLAT void tenon_matmul_f32_rows(const float *a, const float *b, float *y,
                                      ptrdiff_t depth, ptrdiff_t n,
                                      const int rows) {
  ptrdiff_t j = 0;
  for (; j + 2 * TENON_VL <= n; j += 2 * TENON_VL)
    tenon_matmul_f32_tile(a, b + j, y + j, depth, n, rows, 2);
  for (; j < n && n >= TENON_VL; j += TENON_VL) {
    const ptrdiff_t at = j + TENON_VL <= n ? j : n - TENON_VL;
    tenon_matmul_f32_tile(a, b + at, y + at, depth, n, rows, 1);
  }
  for (; j < n; ++j) {
    for (int r = 0; r < rows; ++r) {
      float sum = 0.0f;
      for (ptrdiff_t k = 0; k < depth; ++k)
        sum = fmaf(a[r * depth + k], b[k * n + j], sum);
      y[r * n + j] = sum;
    }
  }
}

TENON_FLAT tenon_status tenon_matmul_f32_run(const tenon_call *c, int64_t begin,
                                             int64_t end) {
  const tenon_tensor *p = &c->in[0], *q = &c->in[1], *y = &c->out[0];
  const ptrdiff_t m = p->dims[p->rank - 2], depth = p->dims[p->rank - 1];
  const ptrdiff_t n = q->dims[q->rank - 1];
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end;) {
    const float *a = (const float *)p->data + tenon_matmul_at(p, y, row / m) +
                     row % m * depth;
    const float *b = (const float *)q->data + tenon_matmul_at(q, y, row / m);
    float *to = (float *)y->data + row * n;
    ptrdiff_t left = m - row % m;
    if (left > (ptrdiff_t)end - row) left = (ptrdiff_t)end - row;
    if (tenon_slim_is(left, n)) {
      tenon_slim_f32(a, (tenon_slim_b){b, n, 1}, to, left, depth, n);
      row += left;
      continue;
    }
    if (left >= 4)
      tenon_matmul_f32_rows(a, b, to, depth, n, 4);
    else
      tenon_matmul_f32_rows(a, b, to, depth, n, 1);
    row += left >= 4 ? 4 : 1;
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_MATMUL_F32_OPT_H
