// kern/opt/rows/softmax_f32_opt.h - core::softmax and core::log_softmax on
// floats.
//
// The sum of a row is one chain in the order of its elements, as in the
// reference kernels, so it is the chains of several rows that run side by side.
// Where rows are interleaved, a register holds elements of as many rows.
#ifndef TENON_KERN_OPT_SOFTMAX_F32_OPT_H
#define TENON_KERN_OPT_SOFTMAX_F32_OPT_H

#include "kern/num/real.h"
#include "kern/op/softmax.h"
#include "kern/opt/each/real_f32_opt.h"

#define TENON_SOFTMAX_ROWS 8    // at once
#define TENON_SOFTMAX_CHUNK 64  // elements of a row between additions

// How both end: e / sum, or x - most - log(sum).
typedef struct tenon_softmax_how {
  float beta;
  bool is_log;
} tenon_softmax_how;

// The first element counts though it is not a number; others then do not.
TENON_FLAT float tenon_softmax_f32_most(const float *x, ptrdiff_t n) {
  float most = x[0], lanes[TENON_VL];
  tenon_vf all = tenon_vf_splat(most);
  ptrdiff_t i = 0;
  for (; i + TENON_VL <= n; i += TENON_VL) {
    const tenon_vf v = tenon_vf_load(x + i);
    all = tenon_vf_pick(v > all, v, all);
  }
  tenon_vf_store(lanes, all);
  for (int k = 0; k < TENON_VL; ++k)
    most = lanes[k] > most ? lanes[k] : most;
  for (; i < n; ++i)
    most = x[i] > most ? x[i] : most;
  return most;
}

TENON_FLAT tenon_vf tenon_softmax_f32_exp(tenon_vf x, float most, float beta) {
  return tenon_vf_exp((x - tenon_vf_splat(most)) * tenon_vf_splat(beta));
}

TENON_FLAT void tenon_softmax_f32_exps(const float *x, float *e, ptrdiff_t n,
                                       float most, float beta) {
  ptrdiff_t i = 0;
  for (; i + 4 * TENON_VL <= n; i += 4 * TENON_VL) {  // chains side by side
    tenon_vf v[4];
    TENON_UNROLL
    for (int k = 0; k < 4; ++k)
      v[k] = tenon_vf_load(x + i + k * TENON_VL);
    TENON_UNROLL
    for (int k = 0; k < 4; ++k)
      v[k] = tenon_softmax_f32_exp(v[k], most, beta);
    TENON_UNROLL
    for (int k = 0; k < 4; ++k)
      tenon_vf_store(e + i + k * TENON_VL, v[k]);
  }
  for (; i + TENON_VL <= n; i += TENON_VL)
    tenon_vf_store(e + i,
                   tenon_softmax_f32_exp(tenon_vf_load(x + i), most, beta));
  if (i < n)
    tenon_vf_store_part(
        e + i,
        tenon_softmax_f32_exp(tenon_vf_load_part(x + i, n - i), most, beta),
        n - i);
}

TENON_FLAT tenon_vf tenon_softmax_f32_end(tenon_softmax_how how, tenon_vf x,
                                          tenon_vf most, tenon_vf sum) {
  return how.is_log ? x - most - sum : x / sum;
}

TENON_FLAT void tenon_softmax_f32_finish(tenon_softmax_how how, const float *x,
                                         float *y, ptrdiff_t n, float most,
                                         float sum) {
  const tenon_vf m = tenon_vf_splat(most);
  const tenon_vf s = tenon_vf_splat(how.is_log ? tenon_logf(sum) : sum);
  const float *from = how.is_log ? x : y;
  ptrdiff_t i = 0;
  for (; i + TENON_VL <= n; i += TENON_VL)
    tenon_vf_store(y + i,
                   tenon_softmax_f32_end(how, tenon_vf_load(from + i), m, s));
  if (i < n)
    tenon_vf_store_part(
        y + i,
        tenon_softmax_f32_end(how, tenon_vf_load_part(from + i, n - i), m, s),
        n - i);
}

// `rows` rows of n elements, one after the other.
TENON_FLAT void tenon_softmax_f32_dense(tenon_softmax_how how, const float *x,
                                        float *y, ptrdiff_t n, const int rows) {
  float e[TENON_SOFTMAX_ROWS][TENON_SOFTMAX_CHUNK];
  float most[TENON_SOFTMAX_ROWS], sum[TENON_SOFTMAX_ROWS] = {0};
  for (int r = 0; r < rows; ++r)
    most[r] = tenon_softmax_f32_most(x + r * n, n);
  for (ptrdiff_t i = 0; i < n; i += TENON_SOFTMAX_CHUNK) {
    ptrdiff_t count = n - i;
    if (count > TENON_SOFTMAX_CHUNK) count = TENON_SOFTMAX_CHUNK;
    for (int r = 0; r < rows; ++r) {
      tenon_softmax_f32_exps(x + r * n + i, e[r], count, most[r], how.beta);
      if (!how.is_log) memcpy(y + r * n + i, e[r], (size_t)count * sizeof *y);
    }
    for (ptrdiff_t j = 0; j < count; ++j) {
      TENON_UNROLL
      for (int r = 0; r < rows; ++r)
        sum[r] += e[r][j];
    }
  }
  for (int r = 0; r < rows; ++r)
    tenon_softmax_f32_finish(how, x + r * n, y + r * n, n, most[r], sum[r]);
}

// `lanes` rows side by side, whose elements are `step` apart.
TENON_FLAT void tenon_softmax_f32_lanes(tenon_softmax_how how, const float *x,
                                        float *y, tenon_rows rows,
                                        ptrdiff_t lanes) {
  const tenon_vf beta = tenon_vf_splat(how.beta);
  const float *from = how.is_log ? x : y;
  tenon_vf most = tenon_vf_load_part(x, lanes), sum = {0};
  for (ptrdiff_t i = 1; i < rows.count; ++i) {
    const tenon_vf v = tenon_vf_load_part(x + i * rows.step, lanes);
    most = tenon_vf_pick(v > most, v, most);
  }
  for (ptrdiff_t i = 0; i < rows.count; ++i) {
    const tenon_vf v = tenon_vf_load_part(x + i * rows.step, lanes);
    const tenon_vf e = tenon_vf_exp((v - most) * beta);
    if (!how.is_log) tenon_vf_store_part(y + i * rows.step, e, lanes);
    sum += e;
  }
  if (how.is_log) sum = tenon_vf_log(sum);
  for (ptrdiff_t i = 0; i < rows.count; ++i)
    tenon_vf_store_part(
        y + i * rows.step,
        tenon_softmax_f32_end(
            how, tenon_vf_load_part(from + i * rows.step, lanes), most, sum),
        lanes);
}

// All rows that lie side by side where they are fewer than a register has
// lanes, in whole registers: a part of one that is stored beside the next that
// is loaded would keep it waiting.
static void tenon_softmax_f32_few(float beta, const float *x, float *y,
                                  tenon_rows rows) {
  float most[TENON_VL * TENON_VL], sum[TENON_VL * TENON_VL];
  const ptrdiff_t step = rows.step, unit = step * TENON_VL;
  const ptrdiff_t n = rows.count * step;
  const tenon_vf scale = tenon_vf_splat(beta);
  tenon_vf all = tenon_vf_load_part(x, step);
  for (ptrdiff_t i = 1; i < rows.count; ++i) {
    const tenon_vf v = tenon_vf_load_part(x + i * step, step);
    all = tenon_vf_pick(v > all, v, all);
  }
  tenon_vf_store_part(most, all, step);
  for (ptrdiff_t i = step; i < unit; ++i)
    most[i] = most[i - step];
  for (ptrdiff_t i = 0; i < n; i += unit) {
    ptrdiff_t j = 0;
    const ptrdiff_t left = n - i < unit ? n - i : unit;
    for (; j + TENON_VL <= left; j += TENON_VL)
      tenon_vf_store(y + i + j, tenon_vf_exp((tenon_vf_load(x + i + j) -
                                              tenon_vf_load(most + j)) *
                                             scale));
    if (j < left)
      tenon_vf_store_part(
          y + i + j,
          tenon_vf_exp((tenon_vf_load_part(x + i + j, left - j) -
                        tenon_vf_load_part(most + j, left - j)) *
                       scale),
          left - j);
  }
  all = (tenon_vf){0};
  for (ptrdiff_t i = 0; i < rows.count; ++i)
    all += tenon_vf_load_part(y + i * step, step);
  tenon_vf_store_part(sum, all, step);
  for (ptrdiff_t i = step; i < unit; ++i)
    sum[i] = sum[i - step];
  for (ptrdiff_t i = 0; i < n; i += unit) {
    ptrdiff_t j = 0;
    const ptrdiff_t left = n - i < unit ? n - i : unit;
    for (; j + TENON_VL <= left; j += TENON_VL)
      tenon_vf_store(y + i + j,
                     tenon_vf_load(y + i + j) / tenon_vf_load(sum + j));
    if (j < left)
      tenon_vf_store_part(y + i + j,
                          tenon_vf_load_part(y + i + j, left - j) /
                              tenon_vf_load_part(sum + j, left - j),
                          left - j);
  }
}

// Items begin to end of x, of which neighbours lie side by side.
static void tenon_softmax_f32_across(tenon_softmax_how how, const float *x,
                                     float *y, tenon_rows rows, ptrdiff_t begin,
                                     ptrdiff_t end) {
  ptrdiff_t lanes;
  for (; begin < end; begin += lanes) {
    const ptrdiff_t at = tenon_rows_at(rows, begin);
    lanes = rows.step - begin % rows.step;
    if (lanes > end - begin) lanes = end - begin;
    if (lanes >= TENON_VL) {
      lanes = TENON_VL;
      tenon_softmax_f32_lanes(how, x + at, y + at, rows, TENON_VL);
    } else if (lanes == rows.step && !how.is_log) {
      tenon_softmax_f32_few(how.beta, x + at, y + at, rows);
    } else {
      tenon_softmax_f32_lanes(how, x + at, y + at, rows, lanes);
    }
  }
}

TENON_FLAT tenon_status tenon_softmax_f32_items(const tenon_call *c,
                                                int64_t begin, int64_t end,
                                                int64_t axis,
                                                tenon_softmax_how how) {
  const tenon_rows rows = tenon_rows_of(&c->in[0], axis);
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  ptrdiff_t i = (ptrdiff_t)begin;
  if (rows.count == 0) return TENON_OK;
  if (rows.step > 1) {
    tenon_softmax_f32_across(how, x, y, rows, i, (ptrdiff_t)end);
    return TENON_OK;
  }
  for (; i + TENON_SOFTMAX_ROWS <= (ptrdiff_t)end; i += TENON_SOFTMAX_ROWS)
    tenon_softmax_f32_dense(how, x + i * rows.count, y + i * rows.count,
                            rows.count, TENON_SOFTMAX_ROWS);
  for (; i < (ptrdiff_t)end; ++i)
    tenon_softmax_f32_dense(how, x + i * rows.count, y + i * rows.count,
                            rows.count, 1);
  return TENON_OK;
}

TENON_INLINE tenon_status tenon_softmax_f32_run(const tenon_call *c,
                                                int64_t begin, int64_t end) {
  const tenon_softmax_attrs *a = (const tenon_softmax_attrs *)c->attrs;
  const tenon_softmax_how how = {(float)a->beta, false};
  return tenon_softmax_f32_items(c, begin, end, a->axis, how);
}

TENON_INLINE tenon_status tenon_log_softmax_f32_run(const tenon_call *c,
                                                    int64_t begin,
                                                    int64_t end) {
  const tenon_log_softmax_attrs *a = (const tenon_log_softmax_attrs *)c->attrs;
  const tenon_softmax_how how = {1.0f, true};
  return tenon_softmax_f32_items(c, begin, end, a->axis, how);
}

#endif  // TENON_KERN_OPT_SOFTMAX_F32_OPT_H
