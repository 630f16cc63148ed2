// kern/opt/rows/layer_norm_f32_opt.h - core::layer_norm on floats: a row is
// read, and what differs from its mean stays in the first cache until it is
// scaled.
#ifndef TENON_KERN_OPT_LAYER_NORM_F32_OPT_H
#define TENON_KERN_OPT_LAYER_NORM_F32_OPT_H

#include <math.h>

#include "kern/op/layer_norm.h"
#include "kern/opt/each/whole_f32_opt.h"
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

// Sums of rows before their lanes are added up, which is a chain of eight for
// each: those of all rows at once, turned around.
typedef struct tenon_layer_norm_sums {
  float lanes[TENON_LAYER_NORM_BLOCK][8];
  float left[TENON_LAYER_NORM_BLOCK];  // of what is behind the lanes
} tenon_layer_norm_sums;

// A register of the sums of rows, from row r on; turned[k]: lane k of all rows.
TENON_FLAT tenon_vf tenon_layer_norm_total(const tenon_layer_norm_sums *s,
                                           const float *turned, ptrdiff_t r) {
  tenon_vf sum = tenon_vf_load(s->left + r);
  TENON_UNROLL
  for (int k = 0; k < 8; ++k)
    sum += tenon_vf_load(turned + k * TENON_LAYER_NORM_BLOCK + r);
  return sum;
}

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

// What a pass over a row does: sums of its elements or squares, of the elements
// themselves or of what differs from the mean, which goes to y.
typedef struct tenon_layer_norm_pass {
  bool is_centred, is_squared;
} tenon_layer_norm_pass;

// Lanes of the sum of a row of at least eight elements, but so few that there
// is one level; and, in *left, the sum of those behind the lanes.
TENON_FLAT void tenon_layer_norm_short(const tenon_layer_norm_pass pass,
                                       const float *x, float mean, float *y,
                                       ptrdiff_t n, float *lanes, float *left) {
  const tenon_vf m = tenon_vf_splat(mean);
  tenon_vf acc[TENON_SUM_REGISTERS];
  tenon_sum_lanes all[4];
  float sum = 0.0f, wide[TENON_SUM_WIDTH];
  ptrdiff_t i = 0;
  TENON_UNROLL
  for (int k = 0; k < TENON_SUM_REGISTERS; ++k)
    acc[k] = (tenon_vf){0};
  for (; i + TENON_SUM_WIDTH <= n; i += TENON_SUM_WIDTH) {
    TENON_UNROLL
    for (int k = 0; k < TENON_SUM_REGISTERS; ++k) {
      tenon_vf v = tenon_vf_load(x + i + k * TENON_VL);
      if (pass.is_centred) v = v - m;
      if (pass.is_centred) tenon_vf_store(y + i + k * TENON_VL, v);
      acc[k] += tenon_sum_f32_term(pass.is_squared, v);
    }
  }
  TENON_UNROLL
  for (int k = 0; k < TENON_SUM_REGISTERS; ++k)
    tenon_vf_store(wide + k * TENON_VL, acc[k]);
  TENON_UNROLL
  for (int k = 0; k < 4; ++k)
    all[k] = TENON_LAYER_NORM_HALF(wide + k * 8);
  for (; i + 8 <= n; i += 8) {
    tenon_sum_lanes v = TENON_LAYER_NORM_HALF(x + i);
    if (pass.is_centred) v = v - mean;
    if (pass.is_centred) *(tenon_sum_lanes_at *)(y + i) = v;
    all[0] += pass.is_squared ? v * v : v;
  }
  for (; i < n; ++i) {
    const float v = pass.is_centred ? x[i] - mean : x[i];
    if (pass.is_centred) y[i] = v;
    sum += pass.is_squared ? v * v : v;
  }
  *left = sum;
  *(tenon_sum_lanes_at *)lanes = all[0] + all[1] + all[2] + all[3];
}

// The same of any row of at least eight.
TENON_FLAT void tenon_layer_norm_add(const tenon_layer_norm_pass pass,
                                     const float *x, float mean, float *y,
                                     ptrdiff_t n, float *lanes, float *left) {
  if (tenon_sum_f32_is_short(n)) {
    tenon_layer_norm_short(pass, x, mean, y, n, lanes, left);
    return;
  }
  if (pass.is_centred) tenon_layer_norm_centre(x, mean, y, n);
  tenon_sum_f32_long(pass.is_squared, pass.is_centred ? y : x, n, lanes, left);
}

// y = x times the root of its row, times w, and b: some columns of all rows, so
// that w and b stay in registers.
TENON_FLAT void tenon_layer_norm_scale(const bool has_w, const bool has_b,
                                       const tenon_layer_norm_f32 *k,
                                       const float *x, const float *root,
                                       float *y, ptrdiff_t rows) {
  const ptrdiff_t n = k->row.count;
  ptrdiff_t i = 0;
  for (; i + TENON_VL <= n; i += TENON_VL) {
    tenon_vf w = {0}, b = {0};
    if (has_w) w = tenon_vf_load(k->w + i);
    if (has_b) b = tenon_vf_load(k->b + i);
    for (ptrdiff_t r = 0; r < rows; ++r) {
      tenon_vf v = tenon_vf_load(x + r * n + i) * tenon_vf_splat(root[r]);
      if (has_w) v = v * w;
      if (has_b) v = v + b;
      tenon_vf_store(y + r * n + i, v);
    }
  }
  for (; i + 8 <= n; i += 8) {
    tenon_sum_lanes w = {0}, b = {0};
    if (has_w) w = TENON_LAYER_NORM_HALF(k->w + i);
    if (has_b) b = TENON_LAYER_NORM_HALF(k->b + i);
    for (ptrdiff_t r = 0; r < rows; ++r) {
      tenon_sum_lanes v = TENON_LAYER_NORM_HALF(x + r * n + i) * root[r];
      if (has_w) v = v * w;
      if (has_b) v = v + b;
      *(tenon_sum_lanes_at *)(y + r * n + i) = v;
    }
  }
  for (; i < n; ++i) {
    for (ptrdiff_t r = 0; r < rows; ++r) {
      float v = x[r * n + i] * root[r];
      if (has_w) v = v * k->w[i];
      if (has_b) v = v + k->b[i];
      y[r * n + i] = v;
    }
  }
}

// Of a row of fewer than eight elements.
TENON_FLAT float tenon_layer_norm_few(const tenon_layer_norm_pass pass,
                                      const tenon_layer_norm_f32 *k,
                                      const float *x, float mean, float *y) {
  if (pass.is_centred) tenon_layer_norm_centre(x, mean, y, k->row.count);
  if (pass.is_centred) x = y;
  return pass.is_squared ? tenon_layer_norm_squares_of(&k->row, x, 0)
                         : tenon_sum_f32_any_of(&k->row, x, 0);
}

// A pass over rows: their sums over what are their means before.
TENON_FLAT void tenon_layer_norm_sum(const tenon_layer_norm_pass pass,
                                     const tenon_layer_norm_f32 *k,
                                     tenon_layer_norm_sums *s, const float *x,
                                     float *y, ptrdiff_t rows, float *some) {
  const ptrdiff_t n = k->row.count;
  float turned[8 * TENON_LAYER_NORM_BLOCK];
  if (n < 8) {
    for (ptrdiff_t i = 0; i < rows; ++i)
      some[i] = tenon_layer_norm_few(pass, k, x + i * n, some[i], y + i * n);
    return;
  }
  for (ptrdiff_t i = 0; i < rows; ++i)
    tenon_layer_norm_add(pass, x + i * n, some[i], y + i * n, n, s->lanes[i],
                         &s->left[i]);
  tenon_turn_eights(s->lanes[0], turned);
  TENON_UNROLL
  for (int r = 0; r < TENON_LAYER_NORM_BLOCK; r += TENON_VL)
    tenon_vf_store(some + r, tenon_layer_norm_total(s, turned, r));
}

// Rows of which one step is done before the next: what waits for each other in
// one row does not wait for another, and divisions and roots are those of a
// register of rows.
TENON_FLAT void tenon_layer_norm_f32_of(const bool has_w, const bool has_b,
                                        const bool is_rms,
                                        const tenon_layer_norm_f32 *k,
                                        tenon_layer_norm_sums *s,
                                        const float *x, float *y,
                                        ptrdiff_t rows) {
  const tenon_layer_norm_pass first = {false, false}, then = {!is_rms, true};
  const float count = (float)k->row.count, *from = is_rms ? x : y;
  float some[TENON_LAYER_NORM_BLOCK] = {0};
  if (!is_rms) {
    tenon_layer_norm_sum(first, k, s, x, y, rows, some);
    TENON_UNROLL
    for (int r = 0; r < TENON_LAYER_NORM_BLOCK; r += TENON_VL)
      tenon_vf_store(some + r, tenon_vf_load(some + r) / count);
  }
  tenon_layer_norm_sum(then, k, s, x, y, rows, some);
  TENON_UNROLL
  for (int r = 0; r < TENON_LAYER_NORM_BLOCK; r += TENON_VL)
    tenon_vf_store(some + r,
                   tenon_vf_rsqrt(tenon_vf_load(some + r) / count + k->eps));
  tenon_layer_norm_scale(has_w, has_b, k, from, some, y, rows);
}

// Apart, with constants: each has its loops in registers.
#define TENON_LAYER_NORM_ROWS(how, has_w, has_b, is_rms)                 \
  TENON_APART void tenon_layer_norm_##how(const tenon_layer_norm_f32 *k, \
                                          const float *x, float *y,      \
                                          ptrdiff_t rows) {              \
    const ptrdiff_t n = k->row.count;                                    \
    const ptrdiff_t some = tenon_layer_norm_some(n);                     \
    tenon_layer_norm_sums sums = {{{0}}, {0}};                           \
    for (; rows > 0; rows -= some, x += some * n, y += some * n)         \
      tenon_layer_norm_f32_of(has_w, has_b, is_rms, k, &sums, x, y,      \
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
