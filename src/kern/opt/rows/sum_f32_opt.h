// kern/opt/rows/sum_f32_opt.h - sums and means of floats in the lanes and
// levels of kern/loop/sum.h. Where a sum's elements lie side by side, a row of
// lanes is some registers; where neighbouring sums' do (the mean of an image
// with channels last), a lane of as many sums is a register or two, and so it
// is with short rows, which are turned. Other layouts are left to
// kern/loop/sum.h.
#ifndef TENON_KERN_OPT_SUM_F32_OPT_H
#define TENON_KERN_OPT_SUM_F32_OPT_H

#include "kern/loop/sum.h"
#include "kern/opt/each/half_opt.h"
#include "kern/opt/rows/turned_f32_opt.h"
#include "kern/opt/vectors.h"

#define TENON_SUM_LOAD(x) (x)
TENON_SUM_FUNCTIONS(tenon_sum_f32_any, float, float, TENON_SUM_LOAD)

enum { TENON_SUM_REGISTERS = TENON_SUM_WIDTH / TENON_VL };

// Of `is_squared` sums the squares are added up, each rounded.
TENON_FLAT tenon_vf tenon_sum_f32_term(const bool is_squared, tenon_vf x) {
  return is_squared ? x * x : x;
}

// acc[k] = the sum of element i * 32 + k over i below n.
TENON_FLAT void tenon_sum_f32_rows(const bool is_squared, float *acc,
                                   const float *x, ptrdiff_t n) {
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
        part[0][k] += tenon_sum_f32_term(
            is_squared, tenon_vf_load(x + i * TENON_SUM_WIDTH + k * TENON_VL));
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

// Eight lanes of the sum of n floats, at least as many, and the sum of those
// that are left: so few that there is one level. Levels add zeros to it
// otherwise.
TENON_FLAT void tenon_sum_f32_short(const bool is_squared, const float *x,
                                    ptrdiff_t n, float *lanes, float *left) {
  tenon_sum_lanes acc[4] = {{0}, {0}, {0}, {0}};
  float sum = 0.0f;
  ptrdiff_t i = 0;
  for (; i + TENON_SUM_WIDTH <= n; i += TENON_SUM_WIDTH) {
    TENON_UNROLL
    for (int k = 0; k < 4; ++k) {
      const tenon_sum_lanes v = *(const tenon_sum_lanes_at *)(x + i + k * 8);
      acc[k] += is_squared ? v * v : v;
    }
  }
  for (; i + 8 <= n; i += 8) {
    const tenon_sum_lanes v = *(const tenon_sum_lanes_at *)(x + i);
    acc[0] += is_squared ? v * v : v;
  }
  for (; i < n; ++i)
    sum += is_squared ? x[i] * x[i] : x[i];
  *left = sum;
  *(tenon_sum_lanes_at *)lanes = acc[0] + acc[1] + acc[2] + acc[3];
}

// The same of more.
TENON_FLAT void tenon_sum_f32_long(const bool is_squared, const float *x,
                                   ptrdiff_t n, float *lanes, float *left) {
  float acc[TENON_SUM_WIDTH], sum = 0.0f;
  ptrdiff_t i = n / TENON_SUM_WIDTH * TENON_SUM_WIDTH;
  tenon_sum_f32_rows(is_squared, acc, x, n / TENON_SUM_WIDTH);
  tenon_sum_lanes all = *(const tenon_sum_lanes_at *)acc;
  for (; i + 8 <= n; i += 8) {
    const tenon_sum_lanes v = *(const tenon_sum_lanes_at *)(x + i);
    all += is_squared ? v * v : v;
  }
  TENON_UNROLL
  for (int k = 8; k < TENON_SUM_WIDTH; k += 8)
    all += *(const tenon_sum_lanes_at *)(acc + k);
  for (; i < n; ++i)
    sum += is_squared ? x[i] * x[i] : x[i];
  *left = sum;
  *(tenon_sum_lanes_at *)lanes = all;
}
TENON_INLINE bool tenon_sum_f32_is_short(ptrdiff_t n) {
  return n / TENON_SUM_WIDTH < 16;
}

// The sum of fewer than lanes of them, in chains.
TENON_FLAT float tenon_sum_f32_chains(const bool is_squared, const float *x,
                                      ptrdiff_t n) {
  float acc[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (ptrdiff_t i = 0; i < n / 4 * 4; ++i)
    acc[i] += is_squared ? x[i] * x[i] : x[i];
  for (ptrdiff_t i = n / 4 * 4; i < n; ++i)
    acc[0] += is_squared ? x[i] * x[i] : x[i];
  return acc[0] + acc[1] + acc[2] + acc[3];
}

// The sum of n floats.
TENON_FLAT float tenon_sum_f32_dense(const bool is_squared, const float *x,
                                     ptrdiff_t n) {
  float lanes[8], sum;
  if (n < 8) return tenon_sum_f32_chains(is_squared, x, n);
  if (tenon_sum_f32_is_short(n))
    tenon_sum_f32_short(is_squared, x, n, lanes, &sum);
  else
    tenon_sum_f32_long(is_squared, x, n, lanes, &sum);
  TENON_UNROLL
  for (int k = 0; k < 8; ++k)
    sum += lanes[k];
  return sum;
}

// Sums side by side: this many lanes of each at once, of so many registers of
// sums, so that what is added to stays in registers.
#define TENON_SUM_LANES 8
#define TENON_SUM_SIDES (TENON_VL == 16 ? 2 : 1)

// The first `left` sums of `nv` registers, from element q on. `is_line`: the
// elements of a sum are equally far from each other. `type` is a constant where
// the loops are compiled: x is of floats of 32 bits, or of 16.
enum { TENON_SUM_f32, TENON_SUM_f16, TENON_SUM_bf16 };
typedef struct tenon_sum_side {
  const tenon_reduce *r;
  const void *x;
  ptrdiff_t left;
  int type;
} tenon_sum_side;

TENON_FLAT tenon_vf tenon_sum_load_16(const int type, const uint16_t *x,
                                      ptrdiff_t left) {
  uint16_t lanes[TENON_VL] = {0};
  if (left < TENON_VL) {
    if (left > 0) memcpy(lanes, x, (size_t)left * sizeof *x);
    x = lanes;
  }
  return type == TENON_SUM_f16 ? tenon_vf_load_f16(x) : tenon_vf_load_bf16(x);
}

TENON_FLAT void tenon_sum_f32_add(const int nv, const bool is_line,
                                  const tenon_sum_side *s, ptrdiff_t q,
                                  tenon_vf *sum) {
  const ptrdiff_t at =
      is_line ? q * s->r->summed_step[0] : tenon_sum_at(s->r, q);
  if (s->type != TENON_SUM_f32) {
    const uint16_t *h = (const uint16_t *)s->x + at;
    TENON_UNROLL
    for (int v = 0; v < nv; ++v)
      sum[v] +=
          tenon_sum_load_16(s->type, h + v * TENON_VL, s->left - v * TENON_VL);
    return;
  }
  const float *x = (const float *)s->x + at;
  TENON_UNROLL
  for (int v = 0; v < nv; ++v)
    sum[v] += s->left >= nv * TENON_VL
                  ? tenon_vf_load(x + v * TENON_VL)
                  : tenon_vf_load_part(x + v * TENON_VL, s->left);
}

// acc[k] = the sum of element i * 32 + k over i below n, for 8 such k from
// `first` on.
TENON_FLAT void tenon_sum_f32_across_lanes(const int nv, const bool is_line,
                                           const tenon_sum_side *s,
                                           ptrdiff_t first, ptrdiff_t n,
                                           tenon_vf acc[][2]) {
  enum { LEVELS = TENON_SUM_LEVELS - 1 };
  tenon_vf sum[TENON_SUM_LANES][2];
  tenon_vf part[LEVELS][TENON_SUM_LANES][2] = {{{{0}}}};
  const int32_t power = tenon_sum_power(n);
  const ptrdiff_t step = (ptrdiff_t)1 << power;
  TENON_UNROLL
  for (int k = 0; k < TENON_SUM_LANES; ++k)
    sum[k][0] = sum[k][1] = (tenon_vf){0};
  for (ptrdiff_t i = 0; i < n;) {
    const bool is_whole = n - i >= step;
    const ptrdiff_t end = is_whole ? i + step : n;
    for (; i < end; ++i) {
      TENON_UNROLL
      for (int k = 0; k < TENON_SUM_LANES; ++k)
        tenon_sum_f32_add(nv, is_line, s, i * TENON_SUM_WIDTH + first + k,
                          sum[k]);
    }
    if (!is_whole) break;
    TENON_UNROLL
    for (int k = 0; k < TENON_SUM_LANES; ++k) {
      TENON_UNROLL
      for (int v = 0; v < nv; ++v) {
        part[0][k][v] += sum[k][v];
        sum[k][v] = (tenon_vf){0};
      }
    }
    for (int j = 1; j < LEVELS && !(i & ((step - 1) << (j * power))); ++j) {
      for (int k = 0; k < TENON_SUM_LANES; ++k) {
        for (int v = 0; v < nv; ++v) {
          part[j][k][v] += part[j - 1][k][v];
          part[j - 1][k][v] = (tenon_vf){0};
        }
      }
    }
  }
  TENON_UNROLL
  for (int k = 0; k < TENON_SUM_LANES; ++k) {
    TENON_UNROLL
    for (int v = 0; v < nv; ++v)
      acc[first + k][v] =
          sum[k][v] + part[0][k][v] + part[1][k][v] + part[2][k][v];
  }
}

// Sums of at least a vector of elements each, `nv` registers of them.
TENON_FLAT void tenon_sum_f32_across_of(const int nv, const bool is_line,
                                        const tenon_sum_side *s,
                                        tenon_vf *sums) {
  enum { LANES = 8 };
  tenon_vf acc[TENON_SUM_WIDTH][2];
  const ptrdiff_t n = s->r->count, vectors = n / LANES;
  for (ptrdiff_t k = 0; k < TENON_SUM_WIDTH; k += TENON_SUM_LANES)
    tenon_sum_f32_across_lanes(nv, is_line, s, k, vectors / 4, acc);
  for (ptrdiff_t i = vectors / 4 * 4; i < vectors; ++i)
    for (int k = 0; k < LANES; ++k)
      tenon_sum_f32_add(nv, is_line, s, i * LANES + k, acc[k]);
  for (int k = LANES; k < TENON_SUM_WIDTH; ++k)
    for (int v = 0; v < nv; ++v)
      acc[k % LANES][v] += acc[k][v];
  for (int v = 0; v < nv; ++v)
    sums[v] = (tenon_vf){0};
  for (ptrdiff_t i = vectors * LANES; i < n; ++i)
    tenon_sum_f32_add(nv, is_line, s, i, sums);
  for (int k = 0; k < LANES; ++k)
    for (int v = 0; v < nv; ++v)
      sums[v] += acc[k][v];
}

// The same for elements that are so few that there is one level: others would
// add zeros to it. A quarter of the lanes at a time.
TENON_FLAT void tenon_sum_f32_across_few(const int nv, const tenon_sum_side *s,
                                         tenon_vf *sums) {
  enum { LANES = 8, QUARTERS = TENON_SUM_WIDTH / 8 };
  const ptrdiff_t n = s->r->count, vectors = n / LANES;
  tenon_vf acc[LANES][2];
  for (int q = 0; q < (vectors < QUARTERS ? 1 : QUARTERS); ++q) {
    tenon_vf sum[LANES][2];
    TENON_UNROLL
    for (int k = 0; k < LANES; ++k)
      sum[k][0] = sum[k][1] = (tenon_vf){0};
    for (ptrdiff_t i = q; i < vectors / QUARTERS * QUARTERS; i += QUARTERS) {
      TENON_UNROLL
      for (int k = 0; k < LANES; ++k)
        tenon_sum_f32_add(nv, true, s, i * LANES + k, sum[k]);
    }
    for (ptrdiff_t i = vectors / QUARTERS * QUARTERS; !q && i < vectors; ++i) {
      TENON_UNROLL
      for (int k = 0; k < LANES; ++k)
        tenon_sum_f32_add(nv, true, s, i * LANES + k, sum[k]);
    }
    TENON_UNROLL
    for (int k = 0; k < LANES; ++k) {
      TENON_UNROLL
      for (int v = 0; v < nv; ++v)
        acc[k][v] = q ? acc[k][v] + sum[k][v] : sum[k][v];
    }
  }
  for (int v = 0; v < nv; ++v)
    sums[v] = (tenon_vf){0};
  for (ptrdiff_t i = vectors * LANES; i < n; ++i)
    tenon_sum_f32_add(nv, true, s, i, sums);
  for (int k = 0; k < LANES; ++k)
    for (int v = 0; v < nv; ++v)
      sums[v] += acc[k][v];
}

// The same of fewer elements than lanes, in chains.
TENON_FLAT void tenon_sum_f32_across_chains(const int nv,
                                            const tenon_sum_side *s,
                                            tenon_vf *sums) {
  const ptrdiff_t n = s->r->count, whole = n / 4 * 4;
  tenon_vf acc[4][2] = {{{0}}};
  for (ptrdiff_t i = 0; i < whole; i += 4) {
    TENON_UNROLL
    for (int k = 0; k < 4; ++k)
      tenon_sum_f32_add(nv, true, s, i + k, acc[k]);
  }
  for (ptrdiff_t i = whole; i < n; ++i)
    tenon_sum_f32_add(nv, true, s, i, acc[0]);
  for (int v = 0; v < nv; ++v)
    sums[v] = acc[0][v] + acc[1][v] + acc[2][v] + acc[3][v];
}

// Apart, with constants: each is a loop of registers. `some` are whole ones.
// TENON_SUM_ACROSS(type) defines tenon_sum_<type>_across(r, x, sums, left), the
// sums of outputs of which `left` lie side by side; how many.
#define TENON_SUM_ACROSS_HOW(type, how, nv, left)                           \
  TENON_APART void tenon_sum_##type##_across_##how(const tenon_sum_side *s, \
                                                   tenon_vf *sums) {        \
    const tenon_sum_side own = {s->r, s->x, left, TENON_SUM_##type};        \
    if (s->r->count < 8)                                                    \
      tenon_sum_f32_across_chains(nv, &own, sums);                          \
    else if (s->r->count / TENON_SUM_WIDTH < 16)                            \
      tenon_sum_f32_across_few(nv, &own, sums);                             \
    else                                                                    \
      tenon_sum_f32_across_of(nv, true, &own, sums);                        \
  }
#define TENON_SUM_ACROSS(type)                                                 \
  TENON_SUM_ACROSS_HOW(type, some, TENON_SUM_SIDES, TENON_SUM_SIDES *TENON_VL) \
  TENON_SUM_ACROSS_HOW(type, one, 1, s->left)                                  \
  TENON_APART void tenon_sum_##type##_across_any(const tenon_sum_side *s,      \
                                                 tenon_vf *sums) {             \
    const tenon_sum_side own = {s->r, s->x, s->left, TENON_SUM_##type};        \
    tenon_sum_f32_across_of(1, false, &own, sums);                             \
  }                                                                            \
  TENON_FLAT ptrdiff_t tenon_sum_##type##_across(                              \
      const tenon_reduce *r, const void *x, tenon_vf *sums, ptrdiff_t left) {  \
    const int most = TENON_SUM_SIDES * TENON_VL;                               \
    const tenon_sum_side s = {r, x, left, TENON_SUM_##type};                   \
    if (r->n_summed != 1)                                                      \
      tenon_sum_##type##_across_any(&s, sums);                                 \
    else if (left < most)                                                      \
      tenon_sum_##type##_across_one(&s, sums);                                 \
    else {                                                                     \
      tenon_sum_##type##_across_some(&s, sums);                                \
      return most;                                                             \
    }                                                                          \
    return left > TENON_VL ? TENON_VL : left;                                  \
  }
TENON_SUM_ACROSS(f32)

// Sums or means from output i on, of which `left` lie side by side; how many.
TENON_FLAT ptrdiff_t tenon_sum_f32_some(const tenon_reduce *r, const float *x,
                                        float *y, ptrdiff_t left,
                                        bool is_mean) {
  const tenon_vf by = tenon_vf_splat((float)r->count);
  tenon_vf sums[2];
  const ptrdiff_t n = tenon_sum_f32_across(r, x, sums, left);
  for (ptrdiff_t v = 0; v * TENON_VL < n; ++v)
    tenon_vf_store_part(y + v * TENON_VL, is_mean ? sums[v] / by : sums[v],
                        n - v * TENON_VL);
  return n;
}

// How many outputs from i on have elements side by side; 0: not so.
TENON_FLAT ptrdiff_t tenon_sum_f32_side(const tenon_reduce *r, ptrdiff_t i) {
  const int32_t last = r->n_kept - 1;
  if (last < 0 || r->kept_step[last] != 1 || r->n_summed == 0) return 0;
  if (r->count < (r->n_summed == 1 ? 1 : 8)) return 0;
  return r->kept[last] - i % r->kept[last];
}

// Sums or means of `rows` rows of n, at most TENON_TURNED, one behind the
// other: some registers of rows at a time, turned.
static void tenon_sum_f32_turned(const float *x, float *y, ptrdiff_t n,
                                 ptrdiff_t rows, bool is_mean) {
  enum { SIDES = TENON_SUM_SIDES * TENON_VL };
  int32_t turned[TENON_TURNED * SIDES];
  const tenon_vf by = tenon_vf_splat((float)n);
  const tenon_reduce r = {0, 1, {0}, {0}, {n}, {SIDES}, n};
  const tenon_sum_side s = {&r, turned, SIDES, TENON_SUM_f32};
  tenon_vf sums[2];
  if (rows < SIDES) memset(turned, 0, (size_t)(n * SIDES) * sizeof *turned);
  for (; rows > 0; rows -= SIDES, x += SIDES * n, y += SIDES) {
    tenon_turn_rows(x, n, n, rows < SIDES ? rows : SIDES, SIDES, turned);
    tenon_sum_f32_across_some(&s, sums);
    for (ptrdiff_t v = 0; v < TENON_SUM_SIDES && v * TENON_VL < rows; ++v)
      tenon_vf_store_part(y + v * TENON_VL, is_mean ? sums[v] / by : sums[v],
                          rows - v * TENON_VL);
  }
}

TENON_FLAT tenon_status tenon_sum_f32_items(const tenon_call *c, int64_t begin,
                                            int64_t end, bool is_mean) {
  const tenon_reduce_attrs *a = (const tenon_reduce_attrs *)c->attrs;
  tenon_reduce r = tenon_reduce_of(&c->in[0], a);
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  tenon_sum_join(&r);
  const bool is_dense = r.n_summed == 1 && r.summed_step[0] == 1;
  if (is_dense && tenon_reduce_follows(&r)) {
    if (r.count > 0 && r.count <= TENON_TURNED && end - begin >= TENON_VL / 2) {
      tenon_sum_f32_turned(x + begin * r.count, y + begin, r.count,
                           (ptrdiff_t)(end - begin), is_mean);
      return TENON_OK;
    }
    for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
      const float sum = tenon_sum_f32_dense(false, x + i * r.count, r.count);
      y[i] = is_mean ? sum / (float)r.count : sum;
    }
    return TENON_OK;
  }
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    ptrdiff_t side = tenon_sum_f32_side(&r, i);
    if (side > (ptrdiff_t)end - i) side = (ptrdiff_t)end - i;
    if (side > 0) {
      const float *from = x + tenon_reduce_at(r.kept, r.kept_step, r.n_kept, i);
      float *to = y + i;
      i += side - 1;
      for (ptrdiff_t n; side > 0; side -= n, from += n, to += n)
        n = tenon_sum_f32_some(&r, from, to, side, is_mean);
      continue;
    }
    const float sum =
        is_dense
            ? tenon_sum_f32_dense(
                  false, x + tenon_reduce_at(r.kept, r.kept_step, r.n_kept, i),
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
