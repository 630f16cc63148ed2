// kern/opt/tiles/tile_s8_sum.h - products of rows of int8 with packed weights:
// sums.
//
// Inputs have been copied to scratch in the form that the dot product of the
// instruction set takes: 16 bits a value, or 8 bits offset by 128. So a step of
// a tile loads one vector of weights per column, broadcasts 32 bits per row and
// adds TENON_TILE_GROUP products to every lane. Where that is two of 16 bits,
// weights are widened as they are loaded: half the memory, and the load is
// shared by all rows.
#ifndef TENON_KERN_OPT_TILE_S8_SUM_H
#define TENON_KERN_OPT_TILE_S8_SUM_H

#include "kern/opt/tiles/late_s8.h"
#include "kern/opt/tiles/tiles.h"

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
#if TENON_TILE_GROUP > 2 || defined(TENON_HAS_TILE_DOT)
  const tenon_vi flip = tenon_vi_splat((int32_t)(TENON_FLIP * 0x01010101u));
  if (n >= TENON_VB) {
    for (; i + TENON_VB <= n; i += TENON_VB)
      tenon_vi_store(to + i, tenon_vi_load(from + i) ^ flip);
    if (i < n) {
      i = n - TENON_VB;
      tenon_vi_store(to + i, tenon_vi_load(from + i) ^ flip);
    }
    return to + n;
  }
#endif
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
  ptrdiff_t i = 0;
  if (n >= 16) {
    const tenon_actx16 all = value - (tenon_actx16){0};
    for (; i + 16 <= n; i += 16)
      *(tenon_actx16 *)(to + i) = all;
    *(tenon_actx16 *)(to + n - 16) = all;
    return to + n;
  }
  for (; i < n; ++i)
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
  tenon_scale_s8_lines(&g.scale, head, g.weights + np / TENON_LANES * g.panel);
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
                                  tenon_vi acc[TENON_MR1][8],
                                  tenon_later_s8 *later) {
  (void)later;
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
#if TENON_VB == 64
#define TENON_HAS_SHARED_TAPS 1
// Three taps side by side, rows a pixel apart: a group of inputs that is loaded
// once is a factor of three rows. With one vector of sums there would else be
// more loads than products.
TENON_FLAT void tenon_tile_s8_sum_taps(const int mr, const tenon_gemm_s8 *g,
                                       const tenon_walk *w, ptrdiff_t v,
                                       const char *a, ptrdiff_t lda,
                                       tenon_vi acc[TENON_MR1][8],
                                       tenon_later_s8 *later) {
  const ptrdiff_t group = TENON_LANES * TENON_TILE_GROUP;
  const ptrdiff_t tap = w->shared * group;
  const int8_t *b = g->weights + v * g->panel;
  const tenon_vi bias = tenon_vi_load(g->bias + v * TENON_VL);
  TENON_UNROLL
  for (int i = 0; i < mr; ++i)
    acc[i][0] = bias;
  for (ptrdiff_t y = w->ny; y > 0; --y, a += w->a_y) {
    const char *row[5];
    TENON_UNROLL
    for (int i = 0; i < 5; ++i)
      row[i] = a + (3 * i < mr + 2 ? 3 * i * lda : 0);
    for (ptrdiff_t p = 0; p < w->shared; ++p) {
      const tenon_vi taps[3] = {tenon_wgt_load(b), tenon_wgt_load(b + tap),
                                tenon_wgt_load(b + 2 * tap)};
      tenon_vi one[TENON_MR1 + 2];
      // The products of a row come apart, so that none waits for another.
      TENON_UNROLL
      for (int i = 0; i < mr + 4; ++i) {
        if (i < mr + 2)
          one[i] =
              tenon_act_splat(row[i / 3] + i % 3 * lda + p * TENON_TILE_BYTES);
        TENON_UNROLL
        for (int k = 0; k < 3; ++k) {
          const int r = i - 2 * k;
          if (r >= 0 && r < mr)
            acc[r][0] = tenon_vi_tile_dot(acc[r][0], one[r + k], taps[k]);
        }
      }
      b += group;
      if (later) tenon_later_s8_row(later);
    }
    b += 2 * tap;
  }
}
#endif

// `mr` rows at `lda` bytes, `nv` vectors of sums from vector `v` on; both are
// constants after inlining. Weights lie in the order in which they are read.
// Where a row's factor may be a lane of a register (TENON_HAS_DOT_LANE), they
// are loaded by the register. `later`, if it is not null: of sums that may
// become bytes meanwhile.
TENON_FLAT void tenon_tile_s8_sum(const int mr, const int nv,
                                  const tenon_gemm_s8 *g, const tenon_walk *w,
                                  ptrdiff_t v, const char *a, ptrdiff_t lda,
                                  tenon_vi acc[TENON_MR1][8],
                                  tenon_later_s8 *later) {
  (void)later;
#ifdef TENON_HAS_SHARED_TAPS
  if (nv == 1 && w->shared) {
    tenon_tile_s8_sum_taps(mr, g, w, v, a, lda, acc, later);
    return;
  }
#endif
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
          tenon_vi one =
              tenon_act_splat(row[i / 3] + i % 3 * lda + p * TENON_TILE_BYTES);
          if (mr == 1 && TENON_FLIP != 0) one ^= tenon_vi_splat(w->flip);
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

#endif  // TENON_KERN_OPT_TILE_S8_SUM_H
