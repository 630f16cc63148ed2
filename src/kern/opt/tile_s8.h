// kern/opt/tile_s8.h - products of rows of int8 with packed weights.
//
// Inputs have been copied to scratch in the form that the dot product of the
// instruction set takes: 16 bits a value, or 8 bits offset by 128. So a step of
// a tile loads one vector of weights per column, broadcasts 32 bits per row and
// adds TENON_TILE_GROUP products to every lane. Where that is two of 16 bits,
// weights are widened as they are loaded: half the memory, and the load is
// shared by all rows. Sums become bytes in the registers where they are; edges
// and what floats do not decide go through a small buffer, so that this stands
// in one place and tiles stay small.
#ifndef TENON_KERN_OPT_TILE_S8_H
#define TENON_KERN_OPT_TILE_S8_H

#include "kern/opt/scale_s8.h"
#include "kern/opt/tiles.h"

// What a step of a tile adds up, where that is more than a lane's dot product
// does (TENON_TILE_GROUP), or of bytes where that is of 16 bits
// (TENON_HAS_TILE_DOT).
#ifndef TENON_TILE_GROUP
#define TENON_TILE_GROUP TENON_DOT_GROUP
#endif

// Inputs as the dot product takes them.
#if TENON_TILE_GROUP == 2 && !defined(TENON_HAS_TILE_DOT)
typedef int16_t tenon_act;
#define TENON_FLIP 0
#elif defined(TENON_DOT_SIGNED) || defined(TENON_HAS_TILE_DOT)
typedef int8_t tenon_act;
#define TENON_FLIP 0
#else
typedef uint8_t tenon_act;
#define TENON_FLIP 0x80
#endif
// Bytes of a group.
#define TENON_TILE_BYTES (TENON_TILE_GROUP * (ptrdiff_t)sizeof(tenon_act))
typedef int8_t tenon_s8x16 __attribute__((vector_size(16)));
typedef tenon_act tenon_actx16
    __attribute__((vector_size(16 * sizeof(tenon_act)), aligned(1), may_alias));

TENON_FLAT tenon_act tenon_act_of(int32_t x) {
  return (tenon_act)(x ^ TENON_FLIP);
}

TENON_FLAT void tenon_act_copy16(tenon_act *to, const int8_t *from) {
#if TENON_TILE_GROUP > 2 || defined(TENON_HAS_TILE_DOT)
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
  g.panel = groups * TENON_TILE_GROUP * TENON_LANES;
  g.n = n;
  return g;
}

#ifndef TENON_HAS_TILE_DOT
TENON_FLAT tenon_vi tenon_wgt_load(const int8_t *p) {
#if TENON_TILE_GROUP > 2
  return tenon_vi_load(p);
#else
  return tenon_vi_widen2(p);
#endif
}
// A group of inputs, for all lanes.
TENON_FLAT tenon_vi tenon_act_splat(const char *p) {
  int32_t group;
  memcpy(&group, p, 4);
  return tenon_vi_splat(group);
}
TENON_FLAT tenon_vi tenon_vi_tile_dot(tenon_vi acc, tenon_vi a, tenon_vi b) {
  return tenon_vi_dot(acc, a, b);
}
#endif

#if TENON_TILE_GROUP == 8
// As below, by products of matrices: of two rows with two channels, eight
// values each. A vector of channels is two of them; an odd row is multiplied
// twice.
TENON_FLAT void tenon_tile_s8_sum(const int mr, const int nv,
                                  const tenon_gemm_s8 *g, const tenon_walk *w,
                                  ptrdiff_t v, const char *a, ptrdiff_t lda,
                                  tenon_vi acc[TENON_MR1][8]) {
  const ptrdiff_t panel = g->panel, len = w->len;
  const int8_t *b = g->weights + v / TENON_VPP * panel +
                    v % TENON_VPP * (ptrdiff_t)(TENON_VL * TENON_TILE_GROUP);
  tenon_vi sum[(TENON_MR1 + 1) / 2][16];
  TENON_UNROLL
  for (int j = 0; j < nv; ++j) {
    const tenon_vi bias = tenon_vi_load(g->bias + (v + j) * TENON_VL);
    TENON_UNROLL
    for (int i = 0; i < (mr + 1) / 2; ++i) {
      sum[i][2 * j] = tenon_vi_lows(bias, bias);
      sum[i][2 * j + 1] = tenon_vi_highs(bias, bias);
    }
  }
  for (ptrdiff_t y = w->ny; y > 0; --y, a += w->a_y) {
    const char *run = a;
    for (ptrdiff_t x = w->nx; x > 0; --x, run += w->a_x) {
      const char *row[4];
      TENON_UNROLL
      for (int i = 0; i < 4; ++i)
        row[i] = run + (3 * i < mr ? 3 * i * lda : 0);
      for (ptrdiff_t p = 0; p < len; ++p) {
        tenon_vi bv[16];
        TENON_UNROLL
        for (int j = 0; j < 2 * nv; ++j)
          bv[j] = tenon_vi_load(b + j / (2 * TENON_VPP) * panel +
                                j % (2 * TENON_VPP) *
                                    (TENON_VL / 2 * TENON_TILE_GROUP));
        TENON_UNROLL
        for (int i = 0; i < mr; i += 2) {
          const int k = i + 1 < mr ? i + 1 : i;
          const tenon_vi two =
              tenon_vi_two(row[i / 3] + i % 3 * lda + p * TENON_TILE_BYTES,
                           row[k / 3] + k % 3 * lda + p * TENON_TILE_BYTES);
          TENON_UNROLL
          for (int j = 0; j < 2 * nv; ++j)
            sum[i / 2][j] = tenon_vi_dot_matrix(sum[i / 2][j], two, bv[j]);
        }
        b += TENON_LANES * TENON_TILE_GROUP;
      }
    }
  }
  TENON_UNROLL
  for (int i = 0; i < mr; ++i) {
    TENON_UNROLL
    for (int j = 0; j < nv; ++j) {
      const tenon_vi *s = &sum[i / 2][2 * j];
      acc[i][j] =
          i % 2 ? tenon_vi_highs(s[0], s[1]) : tenon_vi_lows(s[0], s[1]);
    }
  }
}
#else
// `mr` rows at `lda` bytes, `nv` vectors of sums from vector `v` on; both are
// constants after inlining. Weights lie in the order in which they are read.
// Where a row's factor may be a lane of a register (TENON_HAS_DOT_LANE), they
// are loaded by the register.
TENON_FLAT void tenon_tile_s8_sum(const int mr, const int nv,
                                  const tenon_gemm_s8 *g, const tenon_walk *w,
                                  ptrdiff_t v, const char *a, ptrdiff_t lda,
                                  tenon_vi acc[TENON_MR1][8]) {
  const ptrdiff_t panel = g->panel, len = w->len;
  const int8_t *b = g->weights + v / TENON_VPP * panel +
                    v % TENON_VPP * (ptrdiff_t)(TENON_VL * TENON_TILE_GROUP);
  TENON_UNROLL
  for (int j = 0; j < nv; ++j) {
    const tenon_vi bias = tenon_vi_load(g->bias + (v + j) * TENON_VL);
    TENON_UNROLL
    for (int i = 0; i < mr; ++i)
      acc[i][j] = bias;
  }
  for (ptrdiff_t y = w->ny; y > 0; --y, a += w->a_y) {
    const char *run = a;
    for (ptrdiff_t x = w->nx; x > 0; --x, run += w->a_x) {
      const char *row[4];
      TENON_UNROLL
      for (int i = 0; i < 4; ++i)
        row[i] = run + (3 * i < mr ? 3 * i * lda : 0);
      ptrdiff_t p = 0;
#ifdef TENON_HAS_DOT_LANE
      for (; p + TENON_VL <= len; p += TENON_VL) {
        tenon_vi some[TENON_MR1];
        TENON_UNROLL
        for (int i = 0; i < mr; ++i)
          some[i] =
              tenon_vi_load(row[i / 3] + i % 3 * lda + p * TENON_TILE_BYTES);
        TENON_UNROLL
        for (int k = 0; k < TENON_VL; ++k) {
          tenon_vi bv[8];
          TENON_UNROLL
          for (int j = 0; j < nv; ++j)
            bv[j] =
                tenon_wgt_load(b + j / TENON_VPP * panel +
                               j % TENON_VPP * (TENON_VL * TENON_TILE_GROUP));
          TENON_UNROLL
          for (int i = 0; i < mr; ++i) {
            TENON_UNROLL
            for (int j = 0; j < nv; ++j)
              acc[i][j] = tenon_vi_dot_lane(acc[i][j], some[i], k, bv[j]);
          }
          b += TENON_LANES * TENON_TILE_GROUP;
        }
      }
#endif
      for (; p < len; ++p) {
        tenon_vi bv[8];
        TENON_UNROLL
        for (int j = 0; j < nv; ++j)
          bv[j] = tenon_wgt_load(b + j / TENON_VPP * panel +
                                 j % TENON_VPP * (TENON_VL * TENON_TILE_GROUP));
        TENON_UNROLL
        for (int i = 0; i < mr; ++i) {
          const tenon_vi one =
              tenon_act_splat(row[i / 3] + i % 3 * lda + p * TENON_TILE_BYTES);
          TENON_UNROLL
          for (int j = 0; j < nv; ++j)
            acc[i][j] = tenon_vi_tile_dot(acc[i][j], one, bv[j]);
        }
        b += TENON_LANES * TENON_TILE_GROUP;
      }
    }
  }
}
#endif

// Sums are written densely.
TENON_FLAT void tenon_tile_s8_keep(const int mr, const int nv,
                                   tenon_vi acc[TENON_MR1][8], int32_t *sums) {
  TENON_UNROLL
  for (int i = 0; i < mr; ++i) {
    TENON_UNROLL
    for (int j = 0; j < nv; ++j)
      tenon_vi_store(sums + (i * nv + j) * TENON_VL, acc[i][j]);
  }
}
TENON_FLAT void tenon_tile_s8(const int mr, const int nv,
                              const tenon_gemm_s8 *g, const tenon_walk *w,
                              ptrdiff_t v, const char *a, ptrdiff_t lda,
                              int32_t *sums) {
  tenon_vi acc[TENON_MR1][8];
  tenon_tile_s8_sum(mr, nv, g, w, v, a, lda, acc);
  tenon_tile_s8_keep(mr, nv, acc, sums);
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

TENON_APART void tenon_finish_s8_twice(const tenon_scale_v *v,
                                       const int32_t *sums, ptrdiff_t lds,
                                       ptrdiff_t mr, int8_t *c, ptrdiff_t ldc) {
  tenon_finish_s8(TENON_TWICE, v, sums, lds, mr, c, ldc);
}
TENON_APART void tenon_finish_s8_once(const tenon_scale_v *v,
                                      const int32_t *sums, ptrdiff_t lds,
                                      ptrdiff_t mr, int8_t *c, ptrdiff_t ldc) {
  tenon_finish_s8(TENON_ONCE, v, sums, lds, mr, c, ldc);
}

#if defined(TENON_HAS_NEAR) && defined(TENON_HAS_NARROW4)
// Sums in registers to bytes. False where floats do not decide all of them, or
// a vector has not all channels: then what has been written is written again.
TENON_FLAT bool tenon_tile_s8_near(const int once, const int mr, const int nv,
                                   const tenon_scale_v *scale,
                                   tenon_vi acc[TENON_MR1][8], int8_t *c,
                                   ptrdiff_t ldc) {
  tenon_vf most = {0};
  TENON_UNROLL
  for (int j = 0; j < nv; ++j)
    if (!scale[j].is_near || scale[j].n < TENON_VL) return false;
  TENON_UNROLL
  for (int j = 0; j < nv; ++j) {
    TENON_UNROLL
    for (int i = 0; i < mr; i += 4) {
      const int count = mr - i < 4 ? mr - i : 4;
      tenon_vi y[4];
      TENON_UNROLL
      for (int k = 0; k < 4; ++k)
        y[k] = tenon_scale_v_near(once, &scale[j],
                                  acc[k < count ? i + k : i][j], &most);
      const tenon_vs bytes = tenon_scale_v_bytes(count, &scale[j], y);
      TENON_UNROLL
      for (int k = 0; k < count; ++k)
        *(tenon_vb_at *)(c + (i + k) * ldc + j * TENON_VL) =
            tenon_vs_quarter(bytes, k);
    }
  }
  return !tenon_vf_any_above(most, 0.5f - TENON_NEAR_HALF);
}
#endif

// A tile to bytes: `scale` of each vector, c where the first is.
TENON_FLAT void tenon_tile_s8_end(const int once, const int mr, const int nv,
                                  const tenon_gemm_s8 *g, const tenon_walk *w,
                                  ptrdiff_t v, const char *a, ptrdiff_t lda,
                                  const tenon_scale_v *scale, int8_t *c,
                                  ptrdiff_t ldc) {
  tenon_vi acc[TENON_MR1][8];
  int32_t sums[TENON_MR1 * 8 * TENON_VL];
  tenon_tile_s8_sum(mr, nv, g, w, v, a, lda, acc);
#if defined(TENON_HAS_NEAR) && defined(TENON_HAS_NARROW4)
  if (tenon_tile_s8_near(once, mr, nv, scale, acc, c, ldc)) return;
#endif
  tenon_tile_s8_keep(mr, nv, acc, sums);
  for (int j = 0; j < nv; ++j)
    (once ? tenon_finish_s8_once : tenon_finish_s8_twice)(
        &scale[j], sums + j * TENON_VL, nv * TENON_VL, mr, c + j * TENON_VL,
        ldc);
}

typedef void tenon_end_s8_fn(const tenon_gemm_s8 *, const tenon_walk *,
                             ptrdiff_t, const char *, ptrdiff_t,
                             const tenon_scale_v *, int8_t *, ptrdiff_t);
#define TENON_TILE_END(how, once, mr, nv)                                      \
  TENON_APART void tenon_tile_s8_##how##_##mr##_##nv(                          \
      const tenon_gemm_s8 *g, const tenon_walk *w, ptrdiff_t v, const char *a, \
      ptrdiff_t lda, const tenon_scale_v *scale, int8_t *c, ptrdiff_t ldc) {   \
    tenon_tile_s8_end(once, mr, nv, g, w, v, a, lda, scale, c, ldc);           \
  }
#define TENON_TILE_FIND(how, mr, nv) \
  case mr * 16 + nv:                 \
    return tenon_tile_s8_##how##_##mr##_##nv;

#define TENON_TILE(mr, nv) TENON_TILE_END(twice, TENON_TWICE, mr, nv)
TENON_EACH_TILE(TENON_TILE)
#undef TENON_TILE
#define TENON_TILE(mr, nv) TENON_TILE_END(once, TENON_ONCE, mr, nv)
TENON_EACH_TILE(TENON_TILE)
#undef TENON_TILE
TENON_APART tenon_end_s8_fn *tenon_tile_s8_twice(ptrdiff_t mr, ptrdiff_t nv) {
  switch (mr * 16 + nv) {
#define TENON_TILE(mr, nv) TENON_TILE_FIND(twice, mr, nv)
    TENON_EACH_TILE(TENON_TILE)
#undef TENON_TILE
  }
  return NULL;
}
TENON_APART tenon_end_s8_fn *tenon_tile_s8_once(ptrdiff_t mr, ptrdiff_t nv) {
  switch (mr * 16 + nv) {
#define TENON_TILE(mr, nv) TENON_TILE_FIND(once, mr, nv)
    TENON_EACH_TILE(TENON_TILE)
#undef TENON_TILE
  }
  return NULL;
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
        (once ? tenon_tile_s8_once : tenon_tile_s8_twice)(mr, nv)(
            g, w, v, from + i * lda, lda, scale, to + i * ldc, ldc);
      }
      from += rows->next_a;
      to += rows->next_c;
    }
  }
}

#endif  // TENON_KERN_OPT_TILE_S8_H
