// kern/opt/rows/layer_norm_f32_opt.h - core::layer_norm on floats: a row is
// read, and what differs from its mean stays in the first cache until it is
// scaled.
#ifndef TENON_KERN_OPT_LAYER_NORM_F32_OPT_H
#define TENON_KERN_OPT_LAYER_NORM_F32_OPT_H

#include <math.h>

#include "kern/op/layer_norm.h"
#include "kern/opt/rows/sum_f32_opt.h"

#define TENON_LAYER_NORM_SQUARE(x) ((x) * (x))
TENON_SUM_FUNCTIONS(tenon_layer_norm_squares, float, float,
                    TENON_LAYER_NORM_SQUARE)

typedef struct tenon_layer_norm_f32 {
  tenon_reduce row;
  float eps;
  const float *w, *b;
} tenon_layer_norm_f32;

// A part of a register would be stored by lanes, and what is summed up next
// could not be taken from the store: what is left is half a register, as sums
// read it, and numbers.
#define TENON_LAYER_NORM_HALF(x) (*(const tenon_sum_lanes_at *)(x))

// y = x - mean, for a row.
TENON_FLAT void tenon_layer_norm_centre(const float *x, float mean, float *y,
                                        ptrdiff_t n) {
  const tenon_vf m = tenon_vf_splat(mean);
  ptrdiff_t i = 0;
  for (; i + TENON_VL <= n; i += TENON_VL)
    tenon_vf_store(y + i, tenon_vf_load(x + i) - m);
  for (; i + 8 <= n; i += 8)
    *(tenon_sum_lanes_at *)(y + i) = TENON_LAYER_NORM_HALF(x + i) - mean;
  for (; i < n; ++i)
    y[i] = x[i] - mean;
}

// y = x times root, times w, and b.
TENON_FLAT void tenon_layer_norm_scale(const bool has_w, const bool has_b,
                                       const tenon_layer_norm_f32 *k,
                                       const float *x, float root, float *y) {
  const tenon_vf one = tenon_vf_splat(root);
  const ptrdiff_t n = k->row.count;
  ptrdiff_t i = 0;
  for (; i + TENON_VL <= n; i += TENON_VL) {
    tenon_vf v = tenon_vf_load(x + i) * one;
    if (has_w) v = v * tenon_vf_load(k->w + i);
    if (has_b) v = v + tenon_vf_load(k->b + i);
    tenon_vf_store(y + i, v);
  }
  for (; i + 8 <= n; i += 8) {
    tenon_sum_lanes v = TENON_LAYER_NORM_HALF(x + i) * root;
    if (has_w) v = v * TENON_LAYER_NORM_HALF(k->w + i);
    if (has_b) v = v + TENON_LAYER_NORM_HALF(k->b + i);
    *(tenon_sum_lanes_at *)(y + i) = v;
  }
  for (; i < n; ++i) {
    float v = x[i] * root;
    if (has_w) v = v * k->w[i];
    if (has_b) v = v + k->b[i];
    y[i] = v;
  }
}

// The sum of a row, or of its squares.
TENON_FLAT float tenon_layer_norm_sum(const bool is_squared,
                                      const tenon_layer_norm_f32 *k,
                                      const float *x) {
  if (k->row.count >= 8)
    return tenon_sum_f32_dense(is_squared, x, k->row.count);
  return is_squared ? tenon_layer_norm_squares_of(&k->row, x, 0)
                    : tenon_sum_f32_any_of(&k->row, x, 0);
}

// Rows of which one step is done before the next: a sum ends in a chain of
// additions, which wait for each other but not for those of another row.
TENON_FLAT void tenon_layer_norm_f32_of(const bool has_w, const bool has_b,
                                        const bool is_rms,
                                        const tenon_layer_norm_f32 *k,
                                        const float *x, float *y,
                                        ptrdiff_t rows) {
  const ptrdiff_t n = k->row.count;
  const float count = (float)n, *from = is_rms ? x : y;
  float some[TENON_LAYER_NORM_BLOCK];
  if (!is_rms) {
    for (ptrdiff_t i = 0; i < rows; ++i)
      some[i] = tenon_layer_norm_sum(false, k, x + i * n);
    for (ptrdiff_t i = 0; i < rows; ++i)
      tenon_layer_norm_centre(x + i * n, some[i] / count, y + i * n, n);
  }
  for (ptrdiff_t i = 0; i < rows; ++i)
    some[i] = tenon_layer_norm_sum(true, k, from + i * n);
  for (ptrdiff_t i = 0; i < rows; ++i)
    tenon_layer_norm_scale(has_w, has_b, k, from + i * n,
                           1.0f / sqrtf(some[i] / count + k->eps), y + i * n);
}

// Apart, with constants: each has its loops in registers.
#define TENON_LAYER_NORM_ROWS(how, has_w, has_b, is_rms)                 \
  TENON_APART void tenon_layer_norm_##how(const tenon_layer_norm_f32 *k, \
                                          const float *x, float *y,      \
                                          ptrdiff_t rows) {              \
    const ptrdiff_t n = k->row.count;                                    \
    const ptrdiff_t some = tenon_layer_norm_some(n);                     \
    for (; rows > 0; rows -= some, x += some * n, y += some * n)         \
      tenon_layer_norm_f32_of(has_w, has_b, is_rms, k, x, y,             \
                              rows < some ? rows : some);                \
  }
TENON_LAYER_NORM_ROWS(whole, true, true, false)
TENON_LAYER_NORM_ROWS(scaled, true, false, true)
TENON_LAYER_NORM_ROWS(other, k->w != NULL, k->b != NULL, false)
TENON_LAYER_NORM_ROWS(other_rms, k->w != NULL, k->b != NULL, true)
#undef TENON_LAYER_NORM_ROWS

// Of n > 0 elements each.
TENON_INLINE void tenon_layer_norm_f32_rows(const tenon_call *c, const float *x,
                                            float *y, ptrdiff_t rows) {
  const tenon_layer_norm_attrs *a = (const tenon_layer_norm_attrs *)c->attrs;
  tenon_layer_norm_f32 k;
  k.row = tenon_layer_norm_row(c->in[0].dims[c->in[0].rank - 1]);
  k.eps = (float)a->eps;
  k.w = c->in[1].dtype ? (const float *)c->in[1].data : NULL;
  k.b = c->in[2].dtype ? (const float *)c->in[2].data : NULL;
  if (!a->rms && k.w && k.b)
    tenon_layer_norm_whole(&k, x, y, rows);
  else if (a->rms && k.w && !k.b)
    tenon_layer_norm_scaled(&k, x, y, rows);
  else if (a->rms)
    tenon_layer_norm_other_rms(&k, x, y, rows);
  else
    tenon_layer_norm_other(&k, x, y, rows);
}

TENON_INLINE tenon_status tenon_layer_norm_f32_run(const tenon_call *c,
                                                   int64_t begin, int64_t end) {
  const ptrdiff_t n = c->in[0].dims[c->in[0].rank - 1];
  if (n > 0)
    tenon_layer_norm_f32_rows(
        c, (const float *)c->in[0].data + (ptrdiff_t)begin * n,
        (float *)c->out[0].data + (ptrdiff_t)begin * n,
        (ptrdiff_t)(end - begin));
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_LAYER_NORM_F32_OPT_H
