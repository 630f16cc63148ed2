// kern/opt/product/weight_only_rows.h - many rows of floats times integers that
// are floats by now, in panels of [k][16], with two sums for each result: that
// of a block of k in a register, which a scale multiplies, and that of the row,
// which has a turn for each block and lies in the first-level cache.
#ifndef TENON_KERN_OPT_WEIGHT_ONLY_ROWS_H
#define TENON_KERN_OPT_WEIGHT_ONLY_ROWS_H

#include "kern/opt/tiles/tiles.h"
#include "kern/opt/vectors.h"
#include "kern/product/weight_only.h"

// What is multiplied by x, and what is done with a zero point.
enum {
  TENON_WEIGHT_PLAIN = 0,    // the integer: there is none
  TENON_WEIGHT_SHIFTED = 1,  // subtracted from it
  TENON_WEIGHT_ADDED = 2     // added to the scaled integer
};

typedef struct tenon_weight_only {
  ptrdiff_t k, n, block;
  ptrdiff_t step;    // floats from a row of a group to the next
  ptrdiff_t stride;  // and from scales to those of the next block
  bool is_narrow, has_zeros, adds;
} tenon_weight_only;

TENON_INLINE int tenon_weight_only_how(const tenon_weight_only *p) {
  return p->adds        ? TENON_WEIGHT_ADDED
         : p->has_zeros ? TENON_WEIGHT_SHIFTED
                        : TENON_WEIGHT_PLAIN;
}

// The products of k values from x on with those from b on.
TENON_FLAT void tenon_weight_rows_sum(const int mr, const int nv, ptrdiff_t k,
                                      ptrdiff_t panel, const float *b,
                                      const float *x, ptrdiff_t lda,
                                      tenon_vf sum[][2]) {
  const float *row[4];
  ptrdiff_t i = 0;
  TENON_UNROLL
  for (int r = 0; r < 4; ++r)
    row[r] = x + (3 * r < mr ? 3 * r * lda : 0);
#ifdef TENON_HAS_BY_LANE
  for (; i + TENON_VL <= k; i += TENON_VL) {
    tenon_vf some[TENON_MR1];
    TENON_UNROLL
    for (int r = 0; r < mr; ++r)
      some[r] = tenon_vf_load(row[r / 3] + r % 3 * lda + i);
    TENON_UNROLL
    for (int l = 0; l < TENON_VL; ++l, b += TENON_LANES) {
      tenon_vf w[2];
      TENON_UNROLL
      for (int j = 0; j < nv; ++j)
        w[j] =
            tenon_vf_load(b + j / TENON_VPP * panel + j % TENON_VPP * TENON_VL);
      TENON_UNROLL
      for (int r = 0; r < mr; ++r) {
        TENON_UNROLL
        for (int j = 0; j < nv; ++j)
          sum[r][j] = tenon_vf_fma(tenon_vf_splat(some[r][l]), w[j], sum[r][j]);
      }
    }
  }
#endif
  // At least once where there is no other loop, as gcc is to know, which keeps
  // sums in memory where they may be zeros.
#ifdef TENON_HAS_BY_LANE
  if (i == k) return;
#endif
  do {
    tenon_vf w[2];
    TENON_UNROLL
    for (int j = 0; j < nv; ++j) {
      w[j] =
          tenon_vf_load(b + j / TENON_VPP * panel + j % TENON_VPP * TENON_VL);
    }
    TENON_UNROLL
    for (int r = 0; r < mr; ++r) {
      tenon_vf one = tenon_vf_splat(row[r / 3][r % 3 * lda + i]);
      // Loaded once: gcc would load it for each product.
      if (TENON_VB == 64 && nv > 1) TENON_SETTLE(one);
      TENON_UNROLL
      for (int j = 0; j < nv; ++j)
        sum[r][j] = tenon_vf_fma(one, w[j], sum[r][j]);
    }
    b += TENON_LANES;
  } while (++i < k);
}

// `mr` rows with `nv` vectors of outputs, whose floats begin at b, whose scales
// at `scale` and whose biases at `bias`; `count` outputs are stored.
TENON_FLAT void tenon_weight_rows_tile(const int mr, const int nv,
                                       const tenon_weight_only *p,
                                       const float *b, const float *scale,
                                       const float *bias, ptrdiff_t count,
                                       const float *x, float *y) {
  const ptrdiff_t panel = p->k * TENON_LANES, width = nv * TENON_VL;
  const ptrdiff_t block = p->adds ? p->k : p->block;
  float total[TENON_MR1 * 2 * TENON_VL] __attribute__((aligned(TENON_VB)));
  TENON_UNROLL
  for (int r = 0; r < mr * nv; ++r)
    tenon_vf_store(total + r * TENON_VL, (tenon_vf){0});
  for (ptrdiff_t k = 0; k < p->k; k += block, scale += p->stride) {
    tenon_vf sum[TENON_MR1][2], s[2];
    TENON_UNROLL
    for (int r = 0; r < mr; ++r) {
      TENON_UNROLL
      for (int j = 0; j < nv; ++j)
        sum[r][j] = (tenon_vf){0};
    }
    tenon_weight_rows_sum(mr, nv, block, panel, b + k * TENON_LANES, x + k,
                          p->k, sum);
    TENON_UNROLL
    for (int j = 0; j < nv; ++j)
      s[j] = tenon_vf_load(scale + j * TENON_VL);
    float *to = total;
    TENON_UNROLL
    for (int r = 0; r < mr; ++r) {
      TENON_UNROLL
      for (int j = 0; j < nv; ++j, to += TENON_VL)
        tenon_vf_store(
            to, p->adds ? sum[r][j]
                        : tenon_vf_fma(sum[r][j], s[j], tenon_vf_load(to)));
    }
  }
  for (ptrdiff_t r = 0; r < mr; ++r) {
    float *from = total + r * width;
    TENON_UNROLL
    for (int j = 0; j < nv; ++j)
      tenon_vf_store(from + j * TENON_VL,
                     tenon_vf_load(from + j * TENON_VL) +
                         tenon_vf_load(bias + j * TENON_VL));
    tenon_copy_short(y + r * p->n, from, count);
  }
}

// Rows by vectors, the former ascending.
#if TENON_VB == 64
#define TENON_EACH_WEIGHT_TILE(X) \
  X(4, 1)                         \
  X(6, 1)                         \
  X(8, 1)                         \
  X(12, 1) X(5, 2) X(6, 2) X(7, 2) X(8, 2) X(9, 2) X(10, 2) X(11, 2) X(12, 2)
#elif TENON_MR2 == 8
#define TENON_EACH_WEIGHT_TILE(X) X(3, 2) X(4, 2) X(6, 2) X(8, 2)
#else
#define TENON_EACH_WEIGHT_TILE(X) X(3, 2) X(4, 2) X(6, 2)
#endif
typedef void tenon_weight_rows_fn(const tenon_weight_only *, const float *,
                                  const float *, const float *, ptrdiff_t,
                                  const float *, float *);
#define TENON_WEIGHT_TILE(mr, nv)                                     \
  TENON_APART void tenon_weight_rows_##mr##_##nv(                     \
      const tenon_weight_only *p, const float *b, const float *scale, \
      const float *bias, ptrdiff_t count, const float *x, float *y) { \
    tenon_weight_rows_tile(mr, nv, p, b, scale, bias, count, x, y);   \
  }
TENON_EACH_WEIGHT_TILE(TENON_WEIGHT_TILE)
#undef TENON_WEIGHT_TILE

// The next tile of m rows of which `left` are left, and in *mr its rows: more
// than there are, where it begins with some that are computed already.
static tenon_weight_rows_fn *tenon_weight_rows_find(ptrdiff_t left, ptrdiff_t m,
                                                    ptrdiff_t nv,
                                                    ptrdiff_t *mr) {
  const ptrdiff_t want = tenon_tile_rows(left, nv);
  tenon_weight_rows_fn *found = NULL;
#define TENON_WEIGHT_TILE(rows, vectors)                       \
  if (nv == vectors && rows <= m && !(found && *mr >= want)) { \
    *mr = rows;                                                \
    found = tenon_weight_rows_##rows##_##vectors;              \
  }
  TENON_EACH_WEIGHT_TILE(TENON_WEIGHT_TILE)
#undef TENON_WEIGHT_TILE
  return found;
}

// m rows, more than TENON_WEIGHT_ONLY_FEW, with `count` outputs of up to two
// panels, whose floats begin at b and whose biases at `panel`.
TENON_INLINE void tenon_weight_rows(const tenon_weight_only *p, const float *b,
                                    const float *panel, ptrdiff_t count,
                                    ptrdiff_t m, const float *x, float *y) {
  const ptrdiff_t all = (count + TENON_VL - 1) / TENON_VL;
  for (ptrdiff_t v = 0, nv; v < all; v += nv) {
    nv = all - v >= 2 ? 2 : 1;
    const ptrdiff_t at = v * TENON_VL, left = count - at;
    const float *floats = b + v / TENON_VPP * (p->k * TENON_LANES) +
                          v % TENON_VPP * (ptrdiff_t)TENON_VL;
    if (TENON_VPP > 1) nv = 2;
    const ptrdiff_t width = nv * TENON_VL, some = left < width ? left : width;
    for (ptrdiff_t i = 0, mr; i < m; i += mr) {
      tenon_weight_rows_fn *tile = tenon_weight_rows_find(m - i, m, nv, &mr);
      if (i + mr > m) i = m - mr;
      tile(p, floats, panel + p->step + at, panel + at, some, x + i * p->k,
           y + i * p->n + at);
    }
  }
}

#endif  // TENON_KERN_OPT_WEIGHT_ONLY_ROWS_H
