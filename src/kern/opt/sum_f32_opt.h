// kern/opt/sum_f32_opt.h - sums and means of floats in the lanes and levels of
// kern/sum.h. Where a sum's elements lie side by side, a row of lanes is some
// registers; where neighbouring sums' do (the mean of an image with channels
// last), a lane of as many sums is a register. Other layouts, and what is
// shorter, are left to kern/sum.h.
#ifndef TENON_KERN_OPT_SUM_F32_OPT_H
#define TENON_KERN_OPT_SUM_F32_OPT_H

#include "kern/opt/vectors.h"
#include "kern/sum.h"

#define TENON_SUM_LOAD(x) (x)
TENON_SUM_FUNCTIONS(tenon_sum_f32_any, float, float, TENON_SUM_LOAD)

enum { TENON_SUM_REGISTERS = TENON_SUM_WIDTH / TENON_VL };

// acc[k] = the sum of element i * 32 + k over i below n.
TENON_FLAT void tenon_sum_f32_rows(float *acc, const float *x, ptrdiff_t n) {
  tenon_vf part[TENON_SUM_LEVELS][TENON_SUM_REGISTERS];
  const int32_t power = tenon_sum_power(n);
  const ptrdiff_t step = (ptrdiff_t)1 << power;
  ptrdiff_t i = 0;
  TENON_UNROLL
  for (int j = 0; j < TENON_SUM_LEVELS; ++j) {
    TENON_UNROLL
    for (int k = 0; k < TENON_SUM_REGISTERS; ++k)
      part[j][k] = (tenon_vf){0};
  }
  while (i < n) {
    const bool is_whole = n - i >= step;
    const ptrdiff_t end = is_whole ? i + step : n;
    for (; i < end; ++i) {
      TENON_UNROLL
      for (int k = 0; k < TENON_SUM_REGISTERS; ++k)
        part[0][k] += tenon_vf_load(x + i * TENON_SUM_WIDTH + k * TENON_VL);
    }
    for (int j = 1; is_whole && j < TENON_SUM_LEVELS; ++j) {
      TENON_UNROLL
      for (int k = 0; k < TENON_SUM_REGISTERS; ++k) {
        part[j][k] += part[j - 1][k];
        part[j - 1][k] = (tenon_vf){0};
      }
      if (i & ((step - 1) << (j * power))) break;
    }
  }
  TENON_UNROLL
  for (int k = 0; k < TENON_SUM_REGISTERS; ++k)
    tenon_vf_store(acc + k * TENON_VL,
                   part[0][k] + part[1][k] + part[2][k] + part[3][k]);
}

// Lanes of a sum of elements side by side, whatever the width of a register.
typedef float tenon_sum_lanes __attribute__((vector_size(32)));
typedef float tenon_sum_lanes_at
    __attribute__((vector_size(32), aligned(4), may_alias));

// The sum of n floats: some, but so few that there is one level. Levels add
// zeros to it otherwise.
TENON_FLAT float tenon_sum_f32_short(const float *x, ptrdiff_t n) {
  tenon_sum_lanes acc[4] = {{0}, {0}, {0}, {0}};
  float sum = 0.0f;
  ptrdiff_t i = 0;
  for (; i + TENON_SUM_WIDTH <= n; i += TENON_SUM_WIDTH) {
    TENON_UNROLL
    for (int k = 0; k < 4; ++k)
      acc[k] += *(const tenon_sum_lanes_at *)(x + i + k * 8);
  }
  for (; i + 8 <= n; i += 8)
    acc[0] += *(const tenon_sum_lanes_at *)(x + i);
  acc[0] = acc[0] + acc[1] + acc[2] + acc[3];
  for (; i < n; ++i)
    sum += x[i];
  TENON_UNROLL
  for (int k = 0; k < 8; ++k)
    sum += acc[0][k];
  return sum;
}

// The sum of n floats, at least a row of them.
TENON_FLAT float tenon_sum_f32_dense(const float *x, ptrdiff_t n) {
  enum { LANES = 8 };
  float acc[TENON_SUM_WIDTH], sum = 0.0f;
  const ptrdiff_t vectors = n / LANES;
  if (n / TENON_SUM_WIDTH < 16) return tenon_sum_f32_short(x, n);
  tenon_sum_f32_rows(acc, x, vectors / 4);
  for (ptrdiff_t i = vectors / 4 * 4; i < vectors; ++i)
    for (int k = 0; k < LANES; ++k)
      acc[k] += x[i * LANES + k];
  for (int k = LANES; k < TENON_SUM_WIDTH; ++k)
    acc[k % LANES] += acc[k];
  for (ptrdiff_t i = vectors * LANES; i < n; ++i)
    sum += x[i];
  for (int k = 0; k < LANES; ++k)
    sum += acc[k];
  return sum;
}

// part[j][k] += element i * 32 + k of as many sums as a register has lanes,
// over i from `i` to `end`.
TENON_FLAT void tenon_sum_f32_across_level(tenon_vf *part,
                                           const tenon_reduce *r,
                                           const float *x, ptrdiff_t i,
                                           ptrdiff_t end) {
  for (; i < end; ++i)
    for (ptrdiff_t k = 0; k < TENON_SUM_WIDTH; ++k)
      part[k] += tenon_vf_load(x + tenon_sum_at(r, i * TENON_SUM_WIDTH + k));
}

// As tenon_sum_f32_rows.
TENON_APART void tenon_sum_f32_across_rows(tenon_vf *acc, const tenon_reduce *r,
                                           const float *x, ptrdiff_t n) {
  tenon_vf part[TENON_SUM_LEVELS][TENON_SUM_WIDTH] = {{{0}}};
  const int32_t power = tenon_sum_power(n);
  const ptrdiff_t step = (ptrdiff_t)1 << power;
  for (ptrdiff_t i = 0; i < n;) {
    const bool is_whole = n - i >= step;
    const ptrdiff_t end = is_whole ? i + step : n;
    tenon_sum_f32_across_level(part[0], r, x, i, end);
    i = end;
    for (int j = 1; is_whole && j < TENON_SUM_LEVELS; ++j) {
      for (int k = 0; k < TENON_SUM_WIDTH; ++k) {
        part[j][k] += part[j - 1][k];
        part[j - 1][k] = (tenon_vf){0};
      }
      if (i & ((step - 1) << (j * power))) break;
    }
  }
  for (int k = 0; k < TENON_SUM_WIDTH; ++k)
    acc[k] = part[0][k] + part[1][k] + part[2][k] + part[3][k];
}

// Sums of at least a vector of elements each, as many as a register has lanes.
TENON_FLAT tenon_vf tenon_sum_f32_across(const tenon_reduce *r,
                                         const float *x) {
  enum { LANES = 8 };
  tenon_vf acc[TENON_SUM_WIDTH], sum = {0};
  const ptrdiff_t n = r->count, vectors = n / LANES;
  tenon_sum_f32_across_rows(acc, r, x, vectors / 4);
  for (ptrdiff_t i = vectors / 4 * 4; i < vectors; ++i)
    for (int k = 0; k < LANES; ++k)
      acc[k] += tenon_vf_load(x + tenon_sum_at(r, i * LANES + k));
  for (int k = LANES; k < TENON_SUM_WIDTH; ++k)
    acc[k % LANES] += acc[k];
  for (ptrdiff_t i = vectors * LANES; i < n; ++i)
    sum += tenon_vf_load(x + tenon_sum_at(r, i));
  for (int k = 0; k < LANES; ++k)
    sum += acc[k];
  return sum;
}

// How many outputs from i on have elements side by side; 0: not so.
TENON_FLAT ptrdiff_t tenon_sum_f32_side(const tenon_reduce *r, ptrdiff_t i) {
  const int32_t last = r->n_kept - 1;
  if (last < 0 || r->kept_step[last] != 1 || r->n_summed == 0) return 0;
  return r->count < 8 ? 0 : r->kept[last] - i % r->kept[last];
}

// Whether the elements of a sum lie behind those of the one before.
TENON_FLAT bool tenon_sum_f32_follows(const tenon_reduce *r) {
  ptrdiff_t step = r->count;
  for (int32_t d = r->n_kept - 1; d >= 0; step *= r->kept[d], --d)
    if (r->kept_step[d] != step) return false;
  return true;
}

TENON_FLAT tenon_status tenon_sum_f32_items(const tenon_call *c, int64_t begin,
                                            int64_t end, bool is_mean) {
  const tenon_reduce_attrs *a = (const tenon_reduce_attrs *)c->attrs;
  tenon_reduce r = tenon_reduce_of(&c->in[0], a);
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  tenon_sum_join(&r);
  const bool is_dense =
      r.n_summed == 1 && r.summed_step[0] == 1 && r.count >= TENON_SUM_WIDTH;
  if (is_dense && tenon_sum_f32_follows(&r)) {
    for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
      const float sum = tenon_sum_f32_dense(x + i * r.count, r.count);
      y[i] = is_mean ? sum / (float)r.count : sum;
    }
    return TENON_OK;
  }
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    if ((ptrdiff_t)end - i >= TENON_VL &&
        tenon_sum_f32_side(&r, i) >= TENON_VL) {
      const tenon_vf sums = tenon_sum_f32_across(
          &r, x + tenon_reduce_at(r.kept, r.kept_step, r.n_kept, i));
      const tenon_vf by = tenon_vf_splat((float)r.count);
      tenon_vf_store(y + i, is_mean ? sums / by : sums);
      i += TENON_VL - 1;
      continue;
    }
    const float sum =
        is_dense ? tenon_sum_f32_dense(
                       x + tenon_reduce_at(r.kept, r.kept_step, r.n_kept, i),
                       r.count)
                 : tenon_sum_f32_any_of(&r, x, i);
    y[i] = is_mean ? sum / (float)r.count : sum;
  }
  return TENON_OK;
}

TENON_INLINE tenon_status tenon_sum_f32_run(const tenon_call *c, int64_t begin,
                                            int64_t end) {
  return tenon_sum_f32_items(c, begin, end, false);
}
TENON_INLINE tenon_status tenon_mean_f32_run(const tenon_call *c, int64_t begin,
                                             int64_t end) {
  return tenon_sum_f32_items(c, begin, end, true);
}

#endif  // TENON_KERN_OPT_SUM_F32_OPT_H
