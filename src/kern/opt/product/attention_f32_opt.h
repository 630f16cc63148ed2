// kern/opt/product/attention_f32_opt.h - core::attention on floats, some rows
// of q at a time, each in a lane of its own.
//
// Rows of q are turned around once. Then lanes are rows everywhere: a score is
// a value of k, as it lies, times a register of q, so neither keys nor values
// are turned or copied; the softmax of a row goes down its lane, in the order
// of the reference, and so do the sums over values. Scores stay in scratch, a
// register or two for each key.
//
// Up to four rows, as when a token is decoded, have their weights in lines, and
// sums of values that lie side by side in a register: so keys and values are
// read once, at the rate of the memory.
//
// Keys behind the last that a mask of truths lets in to any of the rows are not
// looked at: their weights are zeros. A product with a zero changes nothing,
// but where the value is not finite or the sum is a zero, whose sign it may
// change: then they count.
#ifndef TENON_KERN_OPT_ATTENTION_F32_OPT_H
#define TENON_KERN_OPT_ATTENTION_F32_OPT_H

#include <math.h>

#include "kern/opt/each/real_f32_opt.h"
#include "kern/opt/permute_b4_opt.h"
#include "kern/opt/rows/softmax_f32_opt.h"
#include "kern/opt/tiles/tiles.h"
#include "kern/product/attention.h"

#define TENON_ATTENTION_ROWS (2 * TENON_VL)
#define TENON_ATTENTION_FEW 4  // rows, as when a token is decoded
// Rows whose sums over values, four registers each, stay in registers.
#define TENON_ATTENTION_ADD (TENON_VB == 64 ? 6 : 4)

typedef struct tenon_attend {
  tenon_attention g;
  float scale, after, fill;
  bool is_safe;
  const float *k, *v;
  const uint8_t *truths[TENON_ATTENTION_ROWS];  // masks of the rows, or null
  const float *sums[TENON_ATTENTION_ROWS];
  ptrdiff_t count;               // rows at hand
  float *turned, *scores, *out;  // scratch
} tenon_attend;

// `ahead`: what is asked for meanwhile, a part for each k; null: nothing.
// out[i] = the sum over k of a[i * lda + k * step] b[k], for `mr` values of i;
// elements of b and out are `nv` registers, one behind the other.
TENON_FLAT void tenon_attend_tile(const int mr, const int nv, const float *a,
                                  ptrdiff_t lda, ptrdiff_t step, const float *b,
                                  ptrdiff_t depth, float *out,
                                  const char *ahead) {
  tenon_vf acc[TENON_MR2][2];
  const float *row[4];
  TENON_UNROLL
  for (int i = 0; i < 4; ++i)
    row[i] = a + (3 * i < mr ? 3 * i * lda : 0);
  TENON_UNROLL
  for (int i = 0; i < mr; ++i) {
    TENON_UNROLL
    for (int j = 0; j < nv; ++j)
      acc[i][j] = (tenon_vf){0};
  }
  for (ptrdiff_t k = 0; k < depth; ++k, b += nv * TENON_VL) {
    tenon_vf bv[2];
    if (ahead) __builtin_prefetch(ahead + k * mr * (ptrdiff_t)sizeof *a);
    TENON_UNROLL
    for (int j = 0; j < nv; ++j)
      bv[j] = tenon_vf_load(b + j * TENON_VL);
    TENON_UNROLL
    for (int i = 0; i < mr; ++i) {
      const tenon_vf one = tenon_vf_splat(row[i / 3][i % 3 * lda]);
      TENON_UNROLL
      for (int j = 0; j < nv; ++j)
        acc[i][j] = tenon_vf_fma(one, bv[j], acc[i][j]);
    }
    TENON_UNROLL
    for (int i = 0; i < 4; ++i)
      row[i] += step;
  }
  TENON_UNROLL
  for (int i = 0; i < mr; ++i) {
    TENON_UNROLL
    for (int j = 0; j < nv; ++j)
      tenon_vf_store(out + (i * nv + j) * TENON_VL, acc[i][j]);
  }
}

// Scores of `n` keys, whose elements lie side by side; and sums of values, of
// which those side by side are of different sums.
// Those of the keys behind the next are asked for.
#define TENON_ATTEND_AHEAD(nv, a, i, lda, depth)             \
  ((nv) == 1 && (lda) == (depth)                             \
       ? (const char *)((a) + ((i) + 2 * TENON_MR2) * (lda)) \
       : NULL)
#define TENON_ATTEND_ROWS(nv)                                               \
  TENON_APART void tenon_attend_scores_##nv(const float *a, ptrdiff_t lda,  \
                                            ptrdiff_t n, const float *b,    \
                                            ptrdiff_t depth, float *out) {  \
    ptrdiff_t i = 0;                                                        \
    for (; i + TENON_MR2 <= n; i += TENON_MR2)                              \
      tenon_attend_tile(TENON_MR2, nv, a + i * lda, lda, 1, b, depth,       \
                        out + i * nv * TENON_VL,                            \
                        TENON_ATTEND_AHEAD(nv, a, i, lda, depth));          \
    for (; i + 4 <= n; i += 4)                                              \
      tenon_attend_tile(4, nv, a + i * lda, lda, 1, b, depth,               \
                        out + i * nv * TENON_VL, NULL);                     \
    for (; i < n; ++i)                                                      \
      tenon_attend_tile(1, nv, a + i * lda, lda, 1, b, depth,               \
                        out + i * nv * TENON_VL, NULL);                     \
  }                                                                         \
  TENON_APART void tenon_attend_values_##nv(const float *a, ptrdiff_t step, \
                                            ptrdiff_t n, const float *b,    \
                                            ptrdiff_t depth, float *out) {  \
    ptrdiff_t i = 0;                                                        \
    for (; i + TENON_MR2 <= n; i += TENON_MR2)                              \
      tenon_attend_tile(TENON_MR2, nv, a + i, 1, step, b, depth,            \
                        out + i * nv * TENON_VL, NULL);                     \
    for (; i + 4 <= n; i += 4)                                              \
      tenon_attend_tile(4, nv, a + i, 1, step, b, depth,                    \
                        out + i * nv * TENON_VL, NULL);                     \
    for (; i < n; ++i)                                                      \
      tenon_attend_tile(1, nv, a + i, 1, step, b, depth,                    \
                        out + i * nv * TENON_VL, NULL);                     \
  }
TENON_ATTEND_ROWS(1)
TENON_ATTEND_ROWS(2)
#undef TENON_ATTEND_ROWS

// --- Masks -------------------------------------------------------------------

static uint64_t tenon_attend_eight(const uint8_t *p) {
  uint64_t x;
  memcpy(&x, p, sizeof x);
  return x;
}

// The first keys among which are all that count for a row at hand; all of them
// where none counts for one.
static ptrdiff_t tenon_attend_reach(const tenon_attend *t) {
  const ptrdiff_t n = t->g.keys;
  ptrdiff_t reach = 0;
  if (!t->truths[0] || !t->g.mask_key || t->fill != -INFINITY) return n;
  for (ptrdiff_t r = 0; r < t->count; ++r) {
    const uint8_t *p = t->truths[r];
    ptrdiff_t i = n;
    if (r && p == t->truths[r - 1]) continue;
    while (i >= 8 && i > reach && !tenon_attend_eight(p + i - 8))
      i -= 8;
    while (i > 0 && !p[i - 1])
      --i;
    if (i == 0) return n;
    if (i > reach) reach = i;
  }
  return reach;
}

// What does not count has another score.
static void tenon_attend_truths(const tenon_attend *t, ptrdiff_t n,
                                ptrdiff_t step) {
  const uint64_t all = 0x0101010101010101u;
  for (ptrdiff_t r = 0; r < t->count; ++r) {
    const uint8_t *p = t->truths[r];
    for (ptrdiff_t j = 0; j < n; ++j) {
      if (t->g.mask_key && j + 8 <= n && tenon_attend_eight(p + j) == all)
        j += 7;
      else if (!p[j * t->g.mask_key])
        t->scores[j * step + r] = t->fill;
    }
  }
}

// Whether the rows at hand have masks that lie equally far apart.
static bool tenon_attend_is_even(const tenon_attend *t) {
  for (ptrdiff_t r = 2; r < t->count; ++r)
    if (t->sums[r] - t->sums[r - 1] != t->sums[1] - t->sums[0]) return false;
  return true;
}

// One mask for all rows is added as it lies; masks of their own are turned
// around as q is, some keys at a time.
static void tenon_attend_sums(const tenon_attend *t, ptrdiff_t step) {
  enum { KEYS = 16 };
  float turned[KEYS * TENON_ATTENTION_ROWS] = {0};
  const float *mask = t->sums[0];
  const ptrdiff_t n = t->g.keys, apart = t->count > 1 ? t->sums[1] - mask : 0;
  const bool is_even = t->g.mask_key == 1 && tenon_attend_is_even(t);
  float *x = t->scores;
  if (is_even && apart == 0) {
    for (ptrdiff_t j = 0; j < n; ++j) {
      for (ptrdiff_t i = 0; i < step; i += TENON_VL, x += TENON_VL)
        tenon_vf_store(x, tenon_vf_load(x) + tenon_vf_splat(mask[j]));
    }
  } else if (is_even) {
    for (ptrdiff_t j = 0; j < n; j += KEYS) {
      const ptrdiff_t keys = n - j < KEYS ? n - j : KEYS;
      tenon_permute_b4_turn((const int32_t *)(const void *)(mask + j), apart,
                            (int32_t *)(void *)turned, step, keys, t->count);
      for (ptrdiff_t i = 0; i < keys * step; i += TENON_VL, x += TENON_VL)
        tenon_vf_store(x, tenon_vf_load(x) + tenon_vf_load(turned + i));
    }
  } else {
    for (ptrdiff_t r = 0; r < t->count; ++r)
      for (ptrdiff_t j = 0; j < n; ++j)
        x[j * step + r] += t->sums[r][j * t->g.mask_key];
  }
}

// --- Softmax -----------------------------------------------------------------

// Lanes where a score of the first `n` keys is not negative infinity. What is
// no number counts, and is no maximum.
TENON_APART tenon_vi tenon_attend_some_key(const float *x, ptrdiff_t step,
                                           ptrdiff_t n) {
  const tenon_vf none = tenon_vf_splat(-INFINITY);
  tenon_vi some = {0};
  for (ptrdiff_t j = 0; j < n; ++j)
    some |= tenon_vf_load(x + j * step) != none;
  return some;
}

// tenon_vf_exp_down of `n` registers, a step of all of them before the next: as
// each is one long chain, a processor has few of them at once otherwise.
enum { TENON_ATTENTION_EXP = TENON_VB == 64 ? 6 : 4 };
TENON_FLAT void tenon_attend_exp(const int n, tenon_vf *x) {
  const tenon_vf magic = tenon_vf_splat(TENON_EXP_MAGIC + 64.0f);
  tenon_vf sum[TENON_ATTENTION_EXP], part[TENON_ATTENTION_EXP];
  TENON_UNROLL
  for (int i = 0; i < n; ++i)
    x[i] = tenon_vf_at_least(x[i], tenon_vf_splat(-105.0f));
  TENON_UNROLL
  for (int i = 0; i < n; ++i)
    sum[i] = x[i] * 1.44269504088896341f + magic;
  TENON_UNROLL
  for (int i = 0; i < n; ++i)
    part[i] = sum[i] - magic;
  TENON_UNROLL
  for (int i = 0; i < n; ++i)
    x[i] = tenon_vf_exp_rest(x[i], part[i]);
  TENON_UNROLL
  for (int i = 0; i < n; ++i)
    part[i] = TENON_POLY_EXP_TABLE(x[i]);
  TENON_UNROLL
  for (int i = 0; i < n; ++i)
    x[i] =
        tenon_vf_exp_entry((tenon_vi)sum[i]) * part[i] * 5.421010862427522e-20f;
}

// Weights of the first `n` keys, of which those behind have none.
TENON_FLAT void tenon_attend_softmax(const tenon_attend *t, const int nv,
                                     ptrdiff_t n) {
  const tenon_vf zero = {0};
  tenon_vf most[2], sum[2];
  tenon_vi some[2];
  float *x = t->scores;
  const ptrdiff_t step = nv * TENON_VL, keys = TENON_ATTENTION_EXP / nv;
  TENON_UNROLL
  for (int v = 0; v < nv; ++v) {
    tenon_vf m[4];
    ptrdiff_t j = 1;
    TENON_UNROLL
    for (int i = 0; i < 4; ++i)
      m[i] = tenon_vf_load(x + v * TENON_VL);
    for (; j + 4 <= n; j += 4) {
      TENON_UNROLL
      for (int i = 0; i < 4; ++i)
        m[i] = tenon_vf_at_least(
            m[i], tenon_vf_load(x + (j + i) * step + v * TENON_VL));
    }
    for (; j < n; ++j)
      m[0] =
          tenon_vf_at_least(m[0], tenon_vf_load(x + j * step + v * TENON_VL));
    m[0] = tenon_vf_at_least(m[0], m[1]);
    m[2] = tenon_vf_at_least(m[2], m[3]);
    most[v] = tenon_vf_at_least(m[0], m[2]);
    sum[v] = zero;
    some[v] = ~(tenon_vi){0};
    if (t->is_safe && tenon_vi_any(most[v] == tenon_vf_splat(-INFINITY)))
      some[v] = tenon_attend_some_key(x + v * TENON_VL, step, n);
  }
  ptrdiff_t j = 0;
  for (; j + keys <= n; j += keys) {
    tenon_vf e[TENON_ATTENTION_EXP];
    TENON_UNROLL
    for (int i = 0; i < TENON_ATTENTION_EXP; ++i)
      e[i] = tenon_vf_load(x + j * step + i * TENON_VL) - most[i % nv];
    tenon_attend_exp(TENON_ATTENTION_EXP, e);
    TENON_UNROLL
    for (int i = 0; i < TENON_ATTENTION_EXP; ++i) {
      tenon_vf_store(x + j * step + i * TENON_VL, e[i]);
      sum[i % nv] += e[i];
    }
  }
  for (; j < n; ++j) {
    TENON_UNROLL
    for (int v = 0; v < nv; ++v) {
      const tenon_vf e = tenon_vf_exp_down(
          tenon_vf_load(x + j * step + v * TENON_VL) - most[v]);
      tenon_vf_store(x + j * step + v * TENON_VL, e);
      sum[v] += e;
    }
  }
  for (j = 0; j < n; ++j) {
    TENON_UNROLL
    for (int v = 0; v < nv; ++v) {
      float *at = x + j * step + v * TENON_VL;
      tenon_vf_store(at,
                     tenon_vf_pick(some[v], tenon_vf_load(at) / sum[v], zero));
    }
  }
}

// --- Rows --------------------------------------------------------------------

static bool tenon_attend_is_finite(const float *x, ptrdiff_t n) {
  const tenon_vi most = tenon_vi_splat(0x7f7fffff);
  tenon_vi bad = {0};
  int32_t lanes[TENON_VL], some = 0;
  ptrdiff_t i = 0;
  for (; i + TENON_VL <= n; i += TENON_VL)
    bad |= (tenon_vi_load(x + i) & tenon_vi_splat(INT32_MAX)) > most;
  tenon_vi_store(lanes, bad);
  for (int k = 0; k < TENON_VL; ++k)
    some |= lanes[k];
  for (; i < n; ++i)
    some |= !(fabsf(x[i]) < INFINITY);
  return !some;
}

// How many keys have to be added up: those behind `reach` have no weight, but
// count with a value that is not finite.
static ptrdiff_t tenon_attend_taken(const tenon_attend *t, ptrdiff_t reach) {
  const ptrdiff_t n = t->g.keys, depth = t->g.depth, step = t->g.v_row;
  if (step == depth)
    return tenon_attend_is_finite(t->v + reach * depth, (n - reach) * depth)
               ? reach
               : n;
  for (ptrdiff_t j = reach; j < n; ++j)
    if (!tenon_attend_is_finite(t->v + j * step, depth)) return n;
  return reach;
}

static bool tenon_attend_has_zero(const tenon_attend *t, ptrdiff_t step) {
  for (ptrdiff_t i = 0; i < t->g.depth; ++i)
    for (ptrdiff_t r = 0; r < t->count; ++r)
      if (t->out[i * step + r] == 0.0f) return true;
  return false;
}

// Rows of q as columns, times their factor.
static void tenon_attend_turn(const tenon_attend *t, ptrdiff_t step,
                              const float *q) {
  const ptrdiff_t width = t->g.width;
  if (t->count < step)
    memset(t->turned, 0, sizeof(float) * (size_t)(width * step));
  tenon_permute_b4_turn((const int32_t *)(const void *)q, t->g.q_row,
                        (int32_t *)(void *)t->turned, step, width, t->count);
  for (ptrdiff_t i = 0; t->scale != 1.0f && i < width * step; i += TENON_VL)
    tenon_vf_store(t->turned + i,
                   tenon_vf_load(t->turned + i) * tenon_vf_splat(t->scale));
}

// Weights of rows and keys: of row r and key j at[r * row + j * key].
typedef struct tenon_attend_weights {
  const float *at;
  ptrdiff_t row, key;
} tenon_attend_weights;

// `wide` registers of `rows` results: sums over values, that lie side by side.
TENON_FLAT void tenon_attend_add(const int rows, const int wide,
                                 tenon_attend_weights w, ptrdiff_t n,
                                 const tenon_attend *t, ptrdiff_t at,
                                 ptrdiff_t left, float *y) {
  const ptrdiff_t v_row = t->g.v_row, y_row = t->g.y_row;
  const float *v = t->v + at, *weight = w.at;
  tenon_vf acc[6][4];
  TENON_UNROLL
  for (int r = 0; r < rows; ++r) {
    TENON_UNROLL
    for (int i = 0; i < wide; ++i)
      acc[r][i] = (tenon_vf){0};
  }
  for (ptrdiff_t j = 0; j < n; ++j, v += v_row, weight += w.key) {
    tenon_vf x[4];
    TENON_UNROLL
    for (int i = 0; i < wide; ++i)
      x[i] = wide > 1 ? tenon_vf_load(v + i * TENON_VL)
                      : tenon_vf_load_part(v, left);
    TENON_UNROLL
    for (int r = 0; r < rows; ++r) {
      tenon_vf one = tenon_vf_splat(weight[r * w.row]);
      // Loaded once: gcc would load it for each product.
      if (TENON_VB == 64 && wide > 1) TENON_SETTLE(one);
      TENON_UNROLL
      for (int i = 0; i < wide; ++i)
        acc[r][i] = tenon_vf_fma(one, x[i], acc[r][i]);
    }
  }
  TENON_UNROLL
  for (int r = 0; r < rows; ++r) {
    TENON_UNROLL
    for (int i = 0; i < wide; ++i) {
      if (wide > 1)
        tenon_vf_store(y + at + r * y_row + i * TENON_VL, acc[r][i]);
      else
        tenon_vf_store_part(y + at + r * y_row, acc[r][i], left);
    }
  }
}

#if TENON_VB == 64
#define TENON_EACH_ATTEND_ADD(X) X(1) X(2) X(3) X(4) X(5) X(6)
#else
#define TENON_EACH_ATTEND_ADD(X) X(1) X(2) X(4)
#endif
#define TENON_ATTEND_ADD(rows)                                                \
  TENON_APART void tenon_attend_add_##rows(                                   \
      tenon_attend_weights w, ptrdiff_t n, const tenon_attend *t, float *y) { \
    const ptrdiff_t depth = t->g.depth;                                       \
    ptrdiff_t i = 0;                                                          \
    for (; i + 4 * TENON_VL <= depth; i += 4 * TENON_VL)                      \
      tenon_attend_add(rows, 4, w, n, t, i, 0, y);                            \
    for (; i < depth; i += TENON_VL)                                          \
      tenon_attend_add(rows, 1, w, n, t, i,                                   \
                       depth - i < TENON_VL ? depth - i : TENON_VL, y);       \
  }
TENON_EACH_ATTEND_ADD(TENON_ATTEND_ADD)
#undef TENON_ATTEND_ADD

// The sums over the first `n` values of all rows at hand, some at a time.
static void tenon_attend_add_all(const tenon_attend *t, tenon_attend_weights w,
                                 ptrdiff_t n, float *y) {
  for (ptrdiff_t left = t->count, some; left > 0; left -= some) {
    const ptrdiff_t parts =
        (left + TENON_ATTENTION_ADD - 1) / TENON_ATTENTION_ADD;
    some = (left + parts - 1) / parts;
    if (TENON_VB < 64 && some == 3) some = 2;
    switch (some) {
#define TENON_ATTEND_ADD(rows)           \
  case rows:                             \
    tenon_attend_add_##rows(w, n, t, y); \
    break;
      TENON_EACH_ATTEND_ADD(TENON_ATTEND_ADD)
#undef TENON_ATTEND_ADD
    }
    w.at += some * w.row;
    y += some * t->g.y_row;
  }
}

// Whether a row of the result has a zero.
static bool tenon_attend_rows_have_zero(const tenon_attend *t, const float *y) {
  for (ptrdiff_t r = 0; r < t->count; ++r, y += t->g.y_row)
    for (ptrdiff_t i = 0; i < t->g.depth; ++i)
      if (y[i] == 0.0f) return true;
  return false;
}

TENON_FLAT void tenon_attend_some(const tenon_attend *t, const int nv,
                                  const float *q, float *y) {
  const ptrdiff_t step = nv * TENON_VL, n = t->g.keys, width = t->g.width;
  const ptrdiff_t reach = tenon_attend_reach(t);
  tenon_attend_turn(t, step, q);
  (nv == 1 ? tenon_attend_scores_1 : tenon_attend_scores_2)(
      t->k, t->g.k_row, reach, t->turned, width, t->scores);
  for (ptrdiff_t i = 0; t->after != 1.0f && i < reach * step; i += TENON_VL)
    tenon_vf_store(t->scores + i,
                   tenon_vf_load(t->scores + i) * tenon_vf_splat(t->after));
  if (t->truths[0]) tenon_attend_truths(t, reach, step);
  if (t->sums[0]) tenon_attend_sums(t, step);
  tenon_attend_softmax(t, nv, reach);
  const ptrdiff_t depth = t->g.depth, taken = tenon_attend_taken(t, reach);
  memset(t->scores + reach * step, 0,
         sizeof(float) * (size_t)((n - reach) * step));
  // Lanes without a row would take as long as those with one.
  if (TENON_VB == 64 && nv == 1) {
    const tenon_attend_weights lanes = {t->scores, 1, step};
    tenon_attend_add_all(t, lanes, taken, y);
    if (taken < n && tenon_attend_rows_have_zero(t, y))
      tenon_attend_add_all(t, lanes, n, y);
    return;
  }
  (nv == 1 ? tenon_attend_values_1 : tenon_attend_values_2)(
      t->v, t->g.v_row, depth, t->scores, taken, t->out);
  if (taken < n && tenon_attend_has_zero(t, step))
    (nv == 1 ? tenon_attend_values_1 : tenon_attend_values_2)(
        t->v, t->g.v_row, depth, t->scores, n, t->out);
  tenon_permute_b4_turn((const int32_t *)(const void *)t->out, step,
                        (int32_t *)(void *)y, t->g.y_row, t->count, depth);
}

// Weights of the first `n` keys, for row r.
static void tenon_attend_line(const tenon_attend *t, ptrdiff_t r, ptrdiff_t n,
                              float *w) {
  const tenon_softmax_how how = {1.0f, false};
  bool is_void = t->is_safe;
  for (ptrdiff_t j = 0; j < n; ++j) {
    float s = t->scores[j * TENON_VL + r] * t->after;
    if (t->truths[r] && !t->truths[r][j * t->g.mask_key]) s = t->fill;
    if (t->sums[r]) s += t->sums[r][j * t->g.mask_key];
    if (s != -INFINITY) is_void = false;
    w[j] = s;
  }
  tenon_softmax_f32_dense(how, w, w, n, 1);
  if (is_void) memset(w, 0, sizeof *w * (size_t)n);
}

// Few rows are lines of weights, so that values are read once, as they lie.
TENON_APART void tenon_attend_lines(const tenon_attend *t, const float *q,
                                    float *y) {
  const ptrdiff_t n = t->g.keys, width = t->g.width;
  const ptrdiff_t reach = tenon_attend_reach(t);
  const ptrdiff_t taken = tenon_attend_taken(t, reach);
  float *w = t->scores + n * TENON_VL;
  tenon_attend_turn(t, TENON_VL, q);
  tenon_attend_scores_1(t->k, t->g.k_row, reach, t->turned, width, t->scores);
  for (ptrdiff_t r = 0; r < t->count; ++r) {
    tenon_attend_line(t, r, reach, w + r * n);
    memset(w + r * n + reach, 0, sizeof *w * (size_t)(n - reach));
  }
  const tenon_attend_weights lines = {w, n, 1};
  tenon_attend_add_all(t, lines, taken, y);
  if (taken < n && tenon_attend_rows_have_zero(t, y))
    tenon_attend_add_all(t, lines, n, y);
}

TENON_APART void tenon_attend_few(const tenon_attend *t, const float *q,
                                  float *y) {
  tenon_attend_some(t, 1, q, y);
}
TENON_APART void tenon_attend_many(const tenon_attend *t, const float *q,
                                   float *y) {
  tenon_attend_some(t, 2, q, y);
}

// How many rows from `row` on have its keys and values, one behind the other.
static ptrdiff_t tenon_attend_count(const tenon_call *c, const tenon_attend *t,
                                    ptrdiff_t row, ptrdiff_t end) {
  const tenon_tensor *y = &c->out[0];
  const ptrdiff_t rows = t->g.rows;
  ptrdiff_t batch = row / rows, stop = (batch + 1) * rows;
  const ptrdiff_t k = tenon_attention_at(c, &t->g, &c->in[1], batch);
  const ptrdiff_t v = tenon_attention_at(c, &t->g, &c->in[2], batch);
  ptrdiff_t q = tenon_attention_at(c, &t->g, &c->in[0], batch);
  if (end - row > TENON_ATTENTION_ROWS) end = row + TENON_ATTENTION_ROWS;
  while (stop < end && t->g.heads == 0) {
    const ptrdiff_t next = tenon_matmul_at(&c->in[0], y, ++batch);
    if (next != q + rows * t->g.width ||
        tenon_matmul_at(&c->in[1], y, batch) != k ||
        tenon_matmul_at(&c->in[2], y, batch) != v)
      break;
    q = next;
    stop += rows;
  }
  return (stop < end ? stop : end) - row;
}

TENON_INLINE tenon_status tenon_attention_f32_run(const tenon_call *c,
                                                  int64_t begin, int64_t end) {
  const tenon_attention_attrs *a = (const tenon_attention_attrs *)c->attrs;
  const tenon_tensor *mask = &c->in[3];
  tenon_attend t;
  t.g = tenon_attention_of(c);
  t.scale = (float)a->scale;
  t.after = (float)a->after;
  t.fill = tenon_attention_fill(a);
  t.is_safe = a->safe;
  t.turned = (float *)c->scratch;
  t.out = t.turned + t.g.width * TENON_ATTENTION_ROWS;
  t.scores = t.out + t.g.depth * TENON_ATTENTION_ROWS;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; row += t.count) {
    const ptrdiff_t batch = row / t.g.rows;
    float *to = (float *)c->out[0].data + tenon_attention_to(c, &t.g, row);
    t.count = tenon_attend_count(c, &t, row, (ptrdiff_t)end);
    t.k = (const float *)c->in[1].data +
          tenon_attention_at(c, &t.g, &c->in[1], batch);
    t.v = (const float *)c->in[2].data +
          tenon_attention_at(c, &t.g, &c->in[2], batch);
    const float *q = (const float *)c->in[0].data +
                     tenon_attention_at(c, &t.g, &c->in[0], batch) +
                     row % t.g.rows * t.g.q_row;
    for (ptrdiff_t r = 0; r < TENON_ATTENTION_ROWS; ++r) {
      const bool has = mask->dtype && r < t.count;
      const ptrdiff_t at = has ? tenon_attention_mask_at(c, &t.g, row + r) : 0;
      t.truths[r] = has && mask->dtype == TENON_BOOL
                        ? (const uint8_t *)mask->data + at
                        : NULL;
      t.sums[r] = has && mask->dtype == TENON_F32
                      ? (const float *)mask->data + at
                      : NULL;
    }
    if (t.g.keys == 0)
      for (ptrdiff_t r = 0; r < t.count; ++r)
        memset(to + r * t.g.y_row, 0, sizeof(float) * (size_t)t.g.depth);
    else if (t.count <= TENON_ATTENTION_FEW)
      tenon_attend_lines(&t, q, to);
    else if (t.count <= TENON_VL)
      tenon_attend_few(&t, q, to);
    else
      tenon_attend_many(&t, q, to);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_ATTENTION_F32_OPT_H
