// kern/opt/conv/conv_f32_groups.h - convolution in floats whose groups have 2,
// 4 or 8 channels, several of them at a time; part of conv_f32_opt.h.
//
// A panel has the outputs of several groups, so weights are packed as if all
// outputs read the same few inputs. What a vector of outputs is multiplied by
// differs from group to group: input i of each group's own, for all lanes of
// that group. Every output is the same chain of sums as in
// kern/opt/tiles/tile_f32.h.
#ifndef TENON_KERN_OPT_CONV_F32_GROUPS_H
#define TENON_KERN_OPT_CONV_F32_GROUPS_H

#include "kern/opt/tiles/tile_f32.h"

// Rows of a tile, and of those that are left.
#if TENON_VB == 64 || defined(TENON_REGISTERS)
#define TENON_GROUPS_ROWS 8
#else
#define TENON_GROUPS_ROWS 6
#endif
#define TENON_GROUPS_FEW 3

// Lane k of input i of groups of d.
#define TENON_GROUPS_LANE(k, d, i) (((k) / (d) * (d) + (i)) % TENON_VL)
#define TENON_GROUPS_4(k, d, i)                                 \
  TENON_GROUPS_LANE(k, d, i), TENON_GROUPS_LANE((k) + 1, d, i), \
      TENON_GROUPS_LANE((k) + 2, d, i), TENON_GROUPS_LANE((k) + 3, d, i)
#if TENON_VL == 16
#define TENON_GROUPS_LANES(d, i)                                             \
  TENON_GROUPS_4(0, d, i), TENON_GROUPS_4(4, d, i), TENON_GROUPS_4(8, d, i), \
      TENON_GROUPS_4(12, d, i)
#elif TENON_VL == 8
#define TENON_GROUPS_LANES(d, i) \
  TENON_GROUPS_4(0, d, i), TENON_GROUPS_4(4, d, i)
#else
#define TENON_GROUPS_LANES(d, i) TENON_GROUPS_4(0, d, i)
#endif
#if TENON_HAS_BUILTIN(__builtin_shufflevector)
#define TENON_GROUPS_SPREAD(x, d, i) \
  __builtin_shufflevector(x, x, TENON_GROUPS_LANES(d, i))
#else
#define TENON_GROUPS_SPREAD(x, d, i) \
  __builtin_shuffle(x, (tenon_vi){TENON_GROUPS_LANES(d, i)})
#endif
#define TENON_EACH_INPUT(X) \
  X(2, 0)                   \
  X(2, 1)                   \
  X(4, 0)                   \
  X(4, 1)                   \
  X(4, 2)                   \
  X(4, 3) X(8, 0) X(8, 1) X(8, 2) X(8, 3) X(8, 4) X(8, 5) X(8, 6) X(8, 7)

// Input i of each group's d, for all lanes of that group; d, i and `is_part`
// are constants after inlining. `left`: channels from `at` on, of a part of a
// vector.
TENON_FLAT tenon_vf tenon_groups_f32_input(const int d, const int i,
                                           const int is_part, const float *at,
                                           ptrdiff_t left) {
  if (d >= TENON_VL) return tenon_vf_splat(at[i]);
  const tenon_vf x = is_part ? tenon_vf_load_part(at, left) : tenon_vf_load(at);
  switch (d * 16 + i) {
#define TENON_INPUT(d, i) \
  case d * 16 + i:        \
    return TENON_GROUPS_SPREAD(x, d, i);
    TENON_EACH_INPUT(TENON_INPUT)
#undef TENON_INPUT
  }
  return x;
}

// What follows the sums of `mr` rows.
TENON_FLAT void tenon_groups_f32_finish(const int mr, const int is_part,
                                        const tenon_gemm_f32 *g, ptrdiff_t v,
                                        tenon_vf *acc, float *c,
                                        ptrdiff_t ldc) {
  const float *at = g->bias + v * TENON_VL;
  const ptrdiff_t left = g->n - v * TENON_VL;
  const tenon_vf lo = tenon_vf_splat(g->lo), hi = tenon_vf_splat(g->hi);
  if (g->scale) {
    TENON_UNROLL
    for (int r = 0; r < mr; ++r)
      acc[r] = (acc[r] + tenon_vf_load(at)) * tenon_vf_load(at + g->scale);
  }
  const tenon_vf last = tenon_vf_load(at + 2 * g->scale);
  TENON_UNROLL
  for (int r = 0; r < mr; ++r) {
    const tenon_vf y = tenon_vf_clamp(acc[r] + last, lo, hi);
    if (is_part)
      tenon_vf_store_part(c + r * ldc, y, left);
    else
      tenon_vf_store(c + r * ldc, y);
  }
}

// Groups of half a register: the inputs of one go into all lanes of a half from
// memory, which takes no step to bring them there, and two halves take as long
// as a register.
#if defined(TENON_HAS_HALF) && TENON_VL == 16
TENON_FLAT tenon_half tenon_groups_f32_half_load(const float *p) {
  return *(const tenon_half_at *)p;
}

// `mr` rows at `lda` of one group or two, constants after inlining, whose
// outputs are from `at` on.
TENON_FLAT void tenon_groups_f32_halves(const int mr, const int groups,
                                        const tenon_gemm_f32 *g,
                                        const tenon_walk *w, ptrdiff_t at,
                                        const float *a, ptrdiff_t lda, float *c,
                                        ptrdiff_t ldc) {
  enum { D = TENON_VL / 2 };
  const float *b = g->weights + at / TENON_LANES * g->panel + at % TENON_LANES;
  const float *bias = g->bias + at;
  tenon_half acc[TENON_GROUPS_ROWS][2];
  TENON_UNROLL
  for (int r = 0; r < mr; ++r)
    acc[r][0] = acc[r][1] = (tenon_half){0};
  for (ptrdiff_t y = 0; y < w->ny; ++y) {
    for (ptrdiff_t x = 0; x < w->nx; ++x) {
      const float *bp = b + y * w->b_y + x * w->b_x;
      const float *row[3];
      TENON_UNROLL
      for (int r = 0; r < 3; ++r)
        row[r] = a + y * w->a_y + x * w->a_x + (3 * r < mr ? 3 * r * lda : 0);
      // Not unrolled: a register for each address would be too many.
      for (ptrdiff_t i = 0; i < w->len; ++i, bp += TENON_LANES) {
        tenon_half weight[2];
        TENON_UNROLL
        for (int k = 0; k < groups; ++k)
          weight[k] = tenon_groups_f32_half_load(bp + k * D);
        TENON_UNROLL
        for (int r = 0; r < mr; ++r) {
          const float *own = row[r / 3] + r % 3 * lda + i;
          TENON_UNROLL
          for (int k = 0; k < groups; ++k)
            acc[r][k] =
                tenon_half_fma(tenon_vf_half(tenon_vf_splat(own[k * D])),
                               weight[k], acc[r][k]);
        }
      }
    }
  }
  TENON_UNROLL
  for (int r = 0; r < mr; ++r) {
    TENON_UNROLL
    for (int k = 0; k < groups; ++k) {
      const float *own = bias + k * D;
      tenon_half y = acc[r][k];
      if (g->scale)
        y = (y + tenon_groups_f32_half_load(own)) *
            tenon_groups_f32_half_load(own + g->scale);
      y += tenon_groups_f32_half_load(own + 2 * g->scale);
      *(tenon_half_at *)(c + r * ldc + k * D) = tenon_vf_half(tenon_vf_clamp(
          tenon_vf_of_half(y), tenon_vf_splat(g->lo), tenon_vf_splat(g->hi)));
    }
  }
}
#endif

// `mr` rows at `lda` of groups of d, constants after inlining like `is_part`,
// and the vector of outputs `v`.
TENON_FLAT void tenon_groups_f32_tile(const int mr, const int d,
                                      const int is_part,
                                      const tenon_gemm_f32 *g,
                                      const tenon_walk *w, ptrdiff_t v,
                                      const float *a, ptrdiff_t lda, float *c,
                                      ptrdiff_t ldc) {
  const float *b = g->weights + v / TENON_VPP * g->panel +
                   v % TENON_VPP * (ptrdiff_t)TENON_VL;
  const ptrdiff_t left = g->n - v * TENON_VL;
#if defined(TENON_HAS_HALF) && TENON_VL == 16
  if (d == TENON_VL / 2) {
    if (left > d)
      tenon_groups_f32_halves(mr, 2, g, w, v * TENON_VL, a, lda, c, ldc);
    else
      tenon_groups_f32_halves(mr, 1, g, w, v * TENON_VL, a, lda, c, ldc);
    return;
  }
#endif
  tenon_vf acc[TENON_GROUPS_ROWS];
  TENON_UNROLL
  for (int r = 0; r < mr; ++r)
    acc[r] = (tenon_vf){0};
  for (ptrdiff_t y = 0; y < w->ny; ++y) {
    for (ptrdiff_t x = 0; x < w->nx; ++x) {
      const float *bp = b + y * w->b_y + x * w->b_x;
      const float *row[3];
      TENON_UNROLL
      for (int r = 0; r < 3; ++r)
        row[r] = a + y * w->a_y + x * w->a_x + (3 * r < mr ? 3 * r * lda : 0);
      TENON_UNROLL
      for (int i = 0; i < d; ++i) {
        const tenon_vf weight = tenon_vf_load(bp + i * TENON_LANES);
        TENON_UNROLL
        for (int r = 0; r < mr; ++r)
          acc[r] =
              tenon_vf_fma(tenon_groups_f32_input(
                               d, i, is_part, row[r / 3] + r % 3 * lda, left),
                           weight, acc[r]);
      }
    }
  }
  tenon_groups_f32_finish(mr, is_part, g, v, acc, c, ldc);
}

typedef void tenon_groups_f32_fn(const tenon_gemm_f32 *, const tenon_walk *,
                                 ptrdiff_t, const float *, ptrdiff_t, float *,
                                 ptrdiff_t);
// With masks a vector may always be a part of one; else such go a row at a
// time.
#ifdef TENON_HAS_PART
#define TENON_GROUPS_IS_PART 1
#else
#define TENON_GROUPS_IS_PART 0
#endif
#define TENON_EACH_GROUPS_OF(X, d)                   \
  X(all, TENON_GROUPS_ROWS, d, TENON_GROUPS_IS_PART) \
  X(few, TENON_GROUPS_FEW, d, TENON_GROUPS_IS_PART)  \
  X(one, 1, d, 1)
#define TENON_EACH_GROUPS(X) \
  TENON_EACH_GROUPS_OF(X, 2) \
  TENON_EACH_GROUPS_OF(X, 4) TENON_EACH_GROUPS_OF(X, 8)
#define TENON_GROUPS(name, mr, d, is_part)                          \
  TENON_APART void tenon_groups_f32_##name##_##d(                   \
      const tenon_gemm_f32 *g, const tenon_walk *w, ptrdiff_t v,    \
      const float *a, ptrdiff_t lda, float *c, ptrdiff_t ldc) {     \
    tenon_groups_f32_tile(mr, d, is_part, g, w, v, a, lda, c, ldc); \
  }
TENON_EACH_GROUPS(TENON_GROUPS)
#undef TENON_GROUPS

static tenon_groups_f32_fn *tenon_groups_f32_find(ptrdiff_t mr, ptrdiff_t d) {
  switch (mr * 16 + d) {
#define TENON_GROUPS(name, mr, d, is_part) \
  case mr * 16 + d:                        \
    return tenon_groups_f32_##name##_##d;
    TENON_EACH_GROUPS(TENON_GROUPS)
#undef TENON_GROUPS
  }
  return NULL;
}

// As tenon_gemm_f32_rows, of groups of w->len channels. Where the last rows do
// not fill a tile, some are computed once more.
TENON_APART void tenon_groups_f32_rows(const tenon_gemm_f32 *g,
                                       const tenon_walk *w, ptrdiff_t v,
                                       ptrdiff_t v_end, ptrdiff_t m,
                                       const float *a, ptrdiff_t lda, float *c,
                                       ptrdiff_t ldc) {
  for (; v < v_end; ++v) {
    const bool is_split =
        !TENON_GROUPS_IS_PART && g->n - v * TENON_VL < TENON_VL;
    const ptrdiff_t mr = is_split || m < TENON_GROUPS_FEW ? 1
                         : m < TENON_GROUPS_ROWS          ? TENON_GROUPS_FEW
                                                          : TENON_GROUPS_ROWS;
    tenon_groups_f32_fn *tile = tenon_groups_f32_find(mr, w->len);
    const float *from = a + v * TENON_VL / w->len * w->len;
    for (ptrdiff_t i = 0; i < m; i += mr) {
      if (i + mr > m) i = m - mr;
      tile(g, w, v, from + i * lda, lda, c + i * ldc + v * TENON_VL, ldc);
    }
  }
}

#endif  // TENON_KERN_OPT_CONV_F32_GROUPS_H
