// kern/opt/product/weight_only_linear_f32_opt.h - product of floats with scaled
// integers, which become floats in registers: a few rows read a byte or half a
// byte for each weight instead of four. Many rows share two panels that are
// made floats once, in scratch, where the product of floats has its packed
// weights.
//
// Packed behind a head of 64 bytes, per group of 4 panels (the last may have
// fewer): the biases of 16 outputs per panel; then for each block of k their
// scales, zero points where the matrix has any, and the integers, increased so
// that none is negative: a word of 32 bits per output has those of four or
// eight k's, the first lowest; the last word of a block is filled up. What lies
// side by side is read in one pass over memory, and the chains of a group run
// side by side in registers.
#ifndef TENON_KERN_OPT_WEIGHT_ONLY_LINEAR_F32_OPT_H
#define TENON_KERN_OPT_WEIGHT_ONLY_LINEAR_F32_OPT_H

#include "kern/opt/tiles/tile_f32.h"
#include "kern/opt/vectors.h"
#include "kern/product/weight_only.h"

// How a weight is made of an integer: what is done with its zero point.
enum {
  TENON_WEIGHT_PLAIN = 0,    // there is none
  TENON_WEIGHT_SHIFTED = 1,  // subtracted
  TENON_WEIGHT_ADDED = 2     // added to the scaled integer
};

// How far ahead of the words that are read the next are asked for.
#define TENON_WEIGHT_AHEAD 8192

typedef struct tenon_weight_only {
  ptrdiff_t k, n, block;
  ptrdiff_t step;  // floats from a row of a group to the next
  bool is_narrow, has_zeros, adds;
} tenon_weight_only;

// Integer `i` of each word as a float. A table of 16 floats, where a register
// is one; else the integer is put into the low bits of 2^23.
TENON_FLAT tenon_vf tenon_weight_only_field(tenon_vi words, const int bits,
                                            const int i) {
  const tenon_vi low = (tenon_vi)((tenon_vu)words >> (bits * i));
#ifdef TENON_HAS_LOOKUP
  if (bits == 4) {
    const tenon_vf table = {-8.0f, -7.0f, -6.0f, -5.0f, -4.0f, -3.0f,
                            -2.0f, -1.0f, 0.0f,  1.0f,  2.0f,  3.0f,
                            4.0f,  5.0f,  6.0f,  7.0f};
    return tenon_vf_lookup(table, low);
  }
#endif
  const tenon_vi field =
      (low & tenon_vi_splat((1 << bits) - 1)) | tenon_vi_splat(0x4b000000);
  return (tenon_vf)field -
         tenon_vf_splat(8388608.0f + (float)(1 << (bits - 1)));
}

TENON_FLAT tenon_vf tenon_weight_only_weight(tenon_vf q, const int how,
                                             const float *scale,
                                             ptrdiff_t step) {
  const tenon_vf s = tenon_vf_load(scale);
  if (how == TENON_WEIGHT_PLAIN) return q * s;
  if (how == TENON_WEIGHT_ADDED)
    return tenon_vf_fma(q, s, tenon_vf_load(scale + step));
  return (q - tenon_vf_load(scale + step)) * s;
}

// Integer `i` of the words of `nv` vectors, with `mr` rows or, without one, to
// `floats`. All but pointers are constants after inlining.
TENON_FLAT void tenon_weight_only_step(const int mr, const int nv,
                                       const int bits, const int how,
                                       const int i, const tenon_vi *words,
                                       const float *scale, ptrdiff_t step,
                                       const float *x, ptrdiff_t lda,
                                       tenon_vf acc[][4], float *floats) {
  tenon_vf w[4];
  TENON_UNROLL
  for (int j = 0; j < nv; ++j)
    w[j] = tenon_weight_only_weight(tenon_weight_only_field(words[j], bits, i),
                                    how, scale + j * TENON_VL, step);
  TENON_UNROLL
  for (int r = 0; r < mr; ++r) {
    const tenon_vf a = tenon_vf_splat(x[r * lda]);
    TENON_UNROLL
    for (int j = 0; j < nv; ++j)
      acc[r][j] = tenon_vf_fma(a, w[j], acc[r][j]);
  }
  TENON_UNROLL
  for (int j = 0; mr == 0 && j < nv; ++j)
    tenon_vf_store(floats + j * TENON_VL, w[j]);
}

// `from`: the first scale of the vectors at hand.
TENON_FLAT void tenon_weight_only_blocks(const int mr, const int nv,
                                         const int bits, const int how,
                                         const tenon_weight_only *p,
                                         const float *from, const float *x,
                                         tenon_vf acc[][4], float *floats) {
  const int fields = 32 / bits;
  const ptrdiff_t step = p->step, lda = p->k;
  for (ptrdiff_t k = 0; k < p->k; k += p->block) {
    const float *scale = from;
    from += how == TENON_WEIGHT_PLAIN ? step : 2 * step;
    for (ptrdiff_t i = 0; i < p->block; i += fields, from += step) {
      const ptrdiff_t left = p->block - i;
      const float *row = mr ? x + k + i : x;
      float *to = mr ? floats : floats + (k + i) * TENON_LANES;
      tenon_vi words[4];
      TENON_UNROLL
      for (int j = 0; j < nv; ++j) {
        words[j] = tenon_vi_load(from + j * TENON_VL);
        if (j * TENON_VB % 64 == 0)
          __builtin_prefetch((const char *)(from + j * TENON_VL) +
                             TENON_WEIGHT_AHEAD);
      }
      if (left >= fields) {
        TENON_UNROLL
        for (int f = 0; f < fields; ++f)
          tenon_weight_only_step(mr, nv, bits, how, f, words, scale, step,
                                 mr ? row + f : row, lda, acc,
                                 mr ? to : to + f * TENON_LANES);
      } else {
        for (ptrdiff_t f = 0; f < left; ++f) {
          tenon_weight_only_step(mr, nv, bits, how, 0, words, scale, step,
                                 mr ? row + f : row, lda, acc,
                                 mr ? to : to + f * TENON_LANES);
          TENON_UNROLL
          for (int j = 0; j < nv; ++j)
            words[j] = (tenon_vi)((tenon_vu)words[j] >> bits);
        }
      }
    }
  }
}

// Each form has a loop of its own.
TENON_FLAT void tenon_weight_only_any(const int mr, const int nv,
                                      const tenon_weight_only *p,
                                      const float *from, const float *x,
                                      tenon_vf acc[][4], float *floats) {
  const int how = p->adds        ? TENON_WEIGHT_ADDED
                  : p->has_zeros ? TENON_WEIGHT_SHIFTED
                                 : TENON_WEIGHT_PLAIN;
#define TENON_WEIGHT_WAY(bits, which)                                       \
  if (p->is_narrow == (bits == 4) && how == which) {                        \
    tenon_weight_only_blocks(mr, nv, bits, which, p, from, x, acc, floats); \
    return;                                                                 \
  }
  TENON_WEIGHT_WAY(4, TENON_WEIGHT_PLAIN)
  TENON_WEIGHT_WAY(4, TENON_WEIGHT_SHIFTED)
  TENON_WEIGHT_WAY(4, TENON_WEIGHT_ADDED)
  TENON_WEIGHT_WAY(8, TENON_WEIGHT_PLAIN)
  TENON_WEIGHT_WAY(8, TENON_WEIGHT_SHIFTED)
  TENON_WEIGHT_WAY(8, TENON_WEIGHT_ADDED)
#undef TENON_WEIGHT_WAY
}

// `mr` rows with `nv` vectors whose biases begin at `panel`; `count` outputs of
// them are stored.
TENON_FLAT void tenon_weight_only_tile(const int mr, const int nv,
                                       const tenon_weight_only *p,
                                       const float *panel, ptrdiff_t count,
                                       const float *x, float *y) {
  tenon_vf acc[4][4];
  float spare[4 * TENON_VL];
  TENON_UNROLL
  for (int r = 0; r < mr; ++r) {
    TENON_UNROLL
    for (int j = 0; j < nv; ++j)
      acc[r][j] = (tenon_vf){0};
  }
  tenon_weight_only_any(mr, nv, p, panel + p->step, x, acc, NULL);
  TENON_UNROLL
  for (int r = 0; r < mr; ++r) {
    TENON_UNROLL
    for (int j = 0; j < nv; ++j)
      tenon_vf_store(spare + j * TENON_VL,
                     acc[r][j] + tenon_vf_load(panel + j * TENON_VL));
    tenon_copy_short(y + r * p->n, spare, count);
  }
}

#define TENON_WEIGHT_TILE(name, mr, nv)                                \
  TENON_APART void tenon_weight_only_##name(                           \
      const tenon_weight_only *p, const float *panel, ptrdiff_t count, \
      const float *x, float *y) {                                      \
    tenon_weight_only_tile(mr, nv, p, panel, count, x, y);             \
  }
TENON_WEIGHT_TILE(one, 1, TENON_VPP)
TENON_WEIGHT_TILE(one_wide, 1, 4)
TENON_WEIGHT_TILE(four, 4, TENON_VPP)
#if TENON_VPP < 2
TENON_WEIGHT_TILE(four_wide, 4, 2)
#else
#define tenon_weight_only_four_wide tenon_weight_only_four
#endif
#undef TENON_WEIGHT_TILE

TENON_APART void tenon_weight_only_expand(const tenon_weight_only *p,
                                          const float *panel, float *floats) {
  tenon_vf none[1][4];
  tenon_weight_only_any(0, TENON_VPP, p, panel + p->step, floats, none, floats);
}

// A few rows with `count` outputs of a group.
TENON_INLINE void tenon_weight_only_few(const tenon_weight_only *p,
                                        const float *group, ptrdiff_t count,
                                        ptrdiff_t m, const float *x, float *y) {
  const ptrdiff_t wide = (m == 4 ? 2 : 4) * TENON_VL;
  ptrdiff_t width;
  for (ptrdiff_t j = 0; j < p->step; j += width) {
    const bool is_wide = p->step - j >= wide;
    width = is_wide && wide > TENON_LANES ? wide : TENON_LANES;
    const ptrdiff_t some = count - j < width ? count - j : width;
    if (m == 4) {
      (is_wide ? tenon_weight_only_four_wide : tenon_weight_only_four)(
          p, group + j, some, x, y + j);
      continue;
    }
    for (ptrdiff_t i = 0; i < m; ++i)
      (is_wide ? tenon_weight_only_one_wide : tenon_weight_only_one)(
          p, group + j, some, x + i * p->k, y + i * p->n + j);
  }
}

// Many rows with `count` outputs of a group, whose floats lie in scratch, two
// panels at a time.
TENON_INLINE void tenon_weight_only_many(const tenon_weight_only *p,
                                         const float *group, ptrdiff_t count,
                                         ptrdiff_t m, const float *x, float *y,
                                         float *floats) {
  const tenon_walk walk = {.ny = 1, .nx = 1, .len = p->k};
  const ptrdiff_t width = TENON_WEIGHT_ONLY_PANELS * TENON_LANES;
  for (ptrdiff_t j = 0; j < count; j += width) {
    const ptrdiff_t some = count - j < width ? count - j : width;
    tenon_gemm_f32 g = {.bias = group + j,
                        .weights = floats,
                        .panel = p->k * TENON_LANES,
                        .n = some,
                        .lo = -INFINITY,
                        .hi = INFINITY};
    for (ptrdiff_t i = 0; i < some; i += TENON_LANES)
      tenon_weight_only_expand(p, group + j + i, floats + i * p->k);
    tenon_gemm_f32_rows(&g, &walk, 0, (some + TENON_VL - 1) / TENON_VL, m, x,
                        p->k, y + j, p->n);
  }
}

// Items of groups from begin to end.
TENON_INLINE tenon_status tenon_weight_only_run(const tenon_call *c,
                                                int64_t begin, int64_t end) {
  const ptrdiff_t width = TENON_WEIGHT_ONLY_GROUP * TENON_LANES;
  const tenon_packed_weight_only *head =
      (const tenon_packed_weight_only *)c->packed;
  tenon_weight_only p;
  p.n = c->in[1].dims[0];
  p.k = c->in[1].dims[1];
  p.block = tenon_weight_only_block(c);
  p.is_narrow = head->is_narrow != 0;
  p.has_zeros = head->has_zeros != 0;
  p.adds = ((const tenon_weight_only_attrs *)c->attrs)->adds;
  const ptrdiff_t m = (ptrdiff_t)tenon_count(&c->out[0]) / p.n;
  const ptrdiff_t size =
      tenon_weight_only_floats(p.k, p.block, p.is_narrow, p.has_zeros);
  const float *panels = (const float *)(head + 1);
  const float *x = (const float *)c->in[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    const ptrdiff_t left = p.n - i * width, count = left < width ? left : width;
    const float *group = panels + i * TENON_WEIGHT_ONLY_GROUP * size;
    float *y = (float *)c->out[0].data + i * width;
    p.step = tenon_round_up(count, TENON_LANES);
    if (m > TENON_WEIGHT_ONLY_FEW)
      tenon_weight_only_many(&p, group, count, m, x, y, (float *)c->scratch);
    else
      tenon_weight_only_few(&p, group, count, m, x, y);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_WEIGHT_ONLY_LINEAR_F32_OPT_H
