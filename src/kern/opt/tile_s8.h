// kern/opt/tile_s8.h - products of rows of int8 with packed weights.
//
// Inputs have been copied to scratch in the form that the dot product of the
// instruction set takes: 16 bits a value, or 8 bits offset by 128. So a step of
// a tile loads one vector of weights per column, broadcasts 32 bits per row and
// adds TENON_DOT_GROUP products to every lane. Where that is two of 16 bits,
// weights are widened as they are loaded: half the memory, and the load is
// shared by all rows. Sums go through a small buffer, so that scaling, edges
// and what is not plain stand in one place and tiles stay small.
#ifndef TENON_KERN_OPT_TILE_S8_H
#define TENON_KERN_OPT_TILE_S8_H

#include "kern/opt/scale_s8.h"
#include "kern/opt/tiles.h"

// Inputs as the dot product takes them. Four bytes are a group.
#if TENON_DOT_GROUP == 4
typedef uint8_t tenon_act;
#define TENON_FLIP 0x80
#else
typedef int16_t tenon_act;
#define TENON_FLIP 0
#endif
typedef int8_t tenon_s8x16 __attribute__((vector_size(16)));
typedef tenon_act tenon_actx16
    __attribute__((vector_size(16 * sizeof(tenon_act)), aligned(1), may_alias));

TENON_FLAT tenon_act tenon_act_of(int32_t x) {
  return (tenon_act)(x ^ TENON_FLIP);
}

TENON_FLAT void tenon_act_copy16(tenon_act *to, const int8_t *from) {
#if TENON_DOT_GROUP == 4
  tenon_s8x16 x;
  memcpy(&x, from, 16);
  x ^= (int8_t)TENON_FLIP;
  memcpy(to, &x, 16);
#elif TENON_VB < 64
  for (int i = 0; i < 16; i += 2 * TENON_VL)
    tenon_vi_store(to + i, tenon_vi_widen2(from + i));
#else
  tenon_s8x16 x;
  memcpy(&x, from, 16);
  *(tenon_actx16 *)to = __builtin_convertvector(x, tenon_actx16);
#endif
}

// Returns the end of what was written: exactly n values.
TENON_INLINE tenon_act *tenon_act_copy(tenon_act *to, const int8_t *from,
                                       ptrdiff_t n) {
  ptrdiff_t i = 0;
  if (n >= 16) {
    for (; i + 16 <= n; i += 16)
      tenon_act_copy16(to + i, from + i);
    tenon_act_copy16(to + n - 16, from + n - 16);
  } else {
    for (; i < n; ++i)
      to[i] = tenon_act_of(from[i]);
  }
  return to + n;
}

TENON_INLINE tenon_act *tenon_act_fill(tenon_act *to, ptrdiff_t n,
                                       tenon_act value) {
  for (ptrdiff_t i = 0; i < n; ++i)
    to[i] = value;
  return to + n;
}

typedef struct tenon_gemm_s8 {
  tenon_scale_s8 scale;
  const int32_t *bias;
  const int8_t *weights;
  ptrdiff_t panel;  // bytes of a panel
  ptrdiff_t n;      // outputs of a row
} tenon_gemm_s8;

// `groups`: of inputs that make an output.
TENON_INLINE tenon_gemm_s8 tenon_gemm_s8_of(const void *packed,
                                            ptrdiff_t groups, ptrdiff_t n) {
  const tenon_packed_s8 *head = (const tenon_packed_s8 *)packed;
  const ptrdiff_t np = tenon_round_up(n, TENON_LANES);
  tenon_gemm_s8 g;
  g.scale = tenon_scale_s8_of(head, np);
  g.bias = (const int32_t *)(head + 1);
  g.weights = (const int8_t *)(g.bias + 3 * np);
  g.panel = groups * TENON_DOT_GROUP * TENON_LANES;
  g.n = n;
  return g;
}

TENON_FLAT tenon_vi tenon_wgt_load(const int8_t *p) {
#if TENON_DOT_GROUP == 4
  return tenon_vi_load(p);
#else
  return tenon_vi_widen2(p);
#endif
}

// `mr` rows at `lda` bytes, `nv` vectors of sums from vector `v` on; both are
// constants after inlining. Sums are written densely.
TENON_FLAT void tenon_tile_s8(const int mr, const int nv,
                              const tenon_gemm_s8 *g, const tenon_walk *w,
                              ptrdiff_t v, const char *a, ptrdiff_t lda,
                              int32_t *sums) {
  const ptrdiff_t panel = g->panel;
  const int8_t *b = g->weights + v / TENON_VPP * panel +
                    v % TENON_VPP * (ptrdiff_t)(TENON_VL * TENON_DOT_GROUP);
  tenon_vi acc[TENON_MR1][8];
  TENON_UNROLL
  for (int j = 0; j < nv; ++j) {
    const tenon_vi bias = tenon_vi_load(g->bias + (v + j) * TENON_VL);
    TENON_UNROLL
    for (int i = 0; i < mr; ++i)
      acc[i][j] = bias;
  }
  for (ptrdiff_t y = 0; y < w->ny; ++y) {
    for (ptrdiff_t x = 0; x < w->nx; ++x) {
      const int8_t *bp = b + y * w->b_y + x * w->b_x;
      const char *row[4];
      TENON_UNROLL
      for (int i = 0; i < 4; ++i)
        row[i] = a + y * w->a_y + x * w->a_x + (3 * i < mr ? 3 * i * lda : 0);
      for (ptrdiff_t p = 0; p < w->len; ++p) {
        tenon_vi bv[8];
        TENON_UNROLL
        for (int j = 0; j < nv; ++j)
          bv[j] = tenon_wgt_load(bp + j / TENON_VPP * panel +
                                 j % TENON_VPP * (TENON_VL * TENON_DOT_GROUP));
        TENON_UNROLL
        for (int i = 0; i < mr; ++i) {
          int32_t group;
          memcpy(&group, row[i / 3] + i % 3 * lda + p * 4, 4);
          TENON_UNROLL
          for (int j = 0; j < nv; ++j)
            acc[i][j] = tenon_vi_dot(acc[i][j], tenon_vi_splat(group), bv[j]);
        }
        bp += TENON_LANES * TENON_DOT_GROUP;
      }
    }
  }
  TENON_UNROLL
  for (int i = 0; i < mr; ++i) {
    TENON_UNROLL
    for (int j = 0; j < nv; ++j)
      tenon_vi_store(sums + (i * nv + j) * TENON_VL, acc[i][j]);
  }
}

// One row takes as many sums as it is long until the first is done.
#if TENON_VB == 64
#define TENON_EACH_TILE_S8(X) TENON_EACH_TILE(X) X(1, 8)
#define TENON_WIDE_S8 8
#else
#define TENON_EACH_TILE_S8(X) TENON_EACH_TILE(X)
#define TENON_WIDE_S8 TENON_WIDE
#endif

typedef void tenon_tile_s8_fn(const tenon_gemm_s8 *, const tenon_walk *,
                              ptrdiff_t, const char *, ptrdiff_t, int32_t *);
#define TENON_TILE(mr, nv)                                                     \
  TENON_APART void tenon_tile_s8_##mr##_##nv(                                  \
      const tenon_gemm_s8 *g, const tenon_walk *w, ptrdiff_t v, const char *a, \
      ptrdiff_t lda, int32_t *sums) {                                          \
    tenon_tile_s8(mr, nv, g, w, v, a, lda, sums);                              \
  }
TENON_EACH_TILE_S8(TENON_TILE)
#undef TENON_TILE

static tenon_tile_s8_fn *tenon_tile_s8_find(ptrdiff_t mr, ptrdiff_t nv) {
  switch (mr * 16 + nv) {
#define TENON_TILE(mr, nv) \
  case mr * 16 + nv:       \
    return tenon_tile_s8_##mr##_##nv;
    TENON_EACH_TILE_S8(TENON_TILE)
#undef TENON_TILE
  }
  return NULL;
}

// mr rows of sums, `lds` apart, to a vector of outputs each.
TENON_FLAT void tenon_finish_s8(const int once, const tenon_scale_v *v,
                                const int32_t *sums, ptrdiff_t lds,
                                ptrdiff_t mr, int8_t *c, ptrdiff_t ldc) {
  if (!v->is_fast) {
    tenon_scale_slow(once, v->scale, v->i, v->n, sums, lds, mr, c, ldc);
    return;
  }
  for (; mr >= 4; mr -= 4, sums += 4 * lds, c += 4 * ldc) {
    const tenon_vi four[4] = {tenon_vi_load(sums), tenon_vi_load(sums + lds),
                              tenon_vi_load(sums + 2 * lds),
                              tenon_vi_load(sums + 3 * lds)};
    tenon_scale_v_put(once, 4, v, four, c, ldc);
  }
  if (mr >= 2) {
    const tenon_vi two[2] = {tenon_vi_load(sums), tenon_vi_load(sums + lds)};
    tenon_scale_v_put(once, 2, v, two, c, ldc);
    mr -= 2;
    sums += 2 * lds;
    c += 2 * ldc;
  }
  if (mr) {
    const tenon_vi one = tenon_vi_load(sums);
    tenon_scale_v_put(once, 1, v, &one, c, ldc);
  }
}

// Rows of input at `lda` bytes to as many rows of output at `ldc`: m of them,
// and that `lines` times, from one to the next so many bytes on.
typedef struct tenon_rows_s8 {
  ptrdiff_t m, lda, ldc;
  ptrdiff_t lines, next_a, next_c;
} tenon_rows_s8;

// One row: what scales a sum is needed once and not kept.
TENON_FLAT void tenon_gemm_s8_row(const int once, const tenon_gemm_s8 *g,
                                  const tenon_walk *w, ptrdiff_t v,
                                  ptrdiff_t v_end, const char *a, int8_t *c) {
  int32_t sums[8 * TENON_VL];
  ptrdiff_t nv;
  for (; v < v_end; v += nv) {
    nv = v_end - v >= TENON_WIDE_S8 ? TENON_WIDE_S8
                                    : tenon_tile_columns(1, v_end - v);
    tenon_tile_s8_find(1, nv)(g, w, v, a, 0, sums);
    for (ptrdiff_t j = 0; j < nv; ++j) {
      const ptrdiff_t i = (v + j) * TENON_VL;
      const tenon_scale_v scale =
          tenon_scale_v_of(once, &g->scale, i, g->n - i);
      const tenon_vi sum = tenon_vi_load(sums + j * TENON_VL);
      tenon_scale_v_put(once, 1, &scale, &sum, c + i, 0);
    }
  }
}

// Outputs from vector v to v_end of each row, as long as there are so many.
TENON_FLAT void tenon_gemm_s8_rows(const int once, const tenon_gemm_s8 *g,
                                   const tenon_walk *w, ptrdiff_t v,
                                   ptrdiff_t v_end, const tenon_rows_s8 *rows,
                                   const char *a, int8_t *c) {
  int32_t sums[TENON_MR1 * 8 * TENON_VL];
  tenon_scale_v scale[8];
  const ptrdiff_t m = rows->m, lda = rows->lda, ldc = rows->ldc;
  ptrdiff_t nv;
  if (m == 1 && rows->lines == 1) {
    tenon_gemm_s8_row(once, g, w, v, v_end, a, c);
    return;
  }
  for (; v < v_end; v += nv) {
    nv = tenon_tile_columns(m, v_end - v);
    for (ptrdiff_t j = 0; j < nv; ++j)
      scale[j] = tenon_scale_v_of(once, &g->scale, (v + j) * TENON_VL,
                                  g->n - (v + j) * TENON_VL);
    const char *from = a;
    int8_t *to = c + v * TENON_VL;
    for (ptrdiff_t line = 0; line < rows->lines; ++line) {
      ptrdiff_t mr;
      for (ptrdiff_t i = 0; i < m; i += mr) {
        mr = tenon_tile_rows(m - i, nv);
        tenon_tile_s8_find(mr, nv)(g, w, v, from + i * lda, lda, sums);
        for (ptrdiff_t j = 0; j < nv; ++j)
          tenon_finish_s8(once, &scale[j], sums + j * TENON_VL, nv * TENON_VL,
                          mr, to + i * ldc + j * TENON_VL, ldc);
      }
      from += rows->next_a;
      to += rows->next_c;
    }
  }
}

#endif  // TENON_KERN_OPT_TILE_S8_H
