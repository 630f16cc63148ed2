// kern/opt/product/weight_only_linear_f32_opt.h - product of floats with scaled
// integers, which become floats in registers: a few rows read a byte or half a
// byte for each weight instead of four. Many rows share two panels that are
// made floats once, in scratch.
//
// Packed behind a head of 64 bytes, per group of 8 panels (the last may have
// fewer): the biases of 16 outputs per panel; then for each block of k their
// scales, zero points where the matrix has any, and the integers, increased so
// that none is negative: a word of 32 bits per output has those of four or
// eight k's, the first lowest; the last word of a block is filled up. What lies
// side by side is read in one pass over memory, and the chains of a group run
// side by side in registers.
#ifndef TENON_KERN_OPT_WEIGHT_ONLY_LINEAR_F32_OPT_H
#define TENON_KERN_OPT_WEIGHT_ONLY_LINEAR_F32_OPT_H

#include "kern/opt/product/weight_only_rows.h"

// How far ahead of the words that are read the next are asked for.
#define TENON_WEIGHT_AHEAD 12288

// Vectors of outputs that one row takes at once.
#if TENON_VB == 64
#define TENON_WEIGHT_WIDE 8
#else
#define TENON_WEIGHT_WIDE 4
#endif

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

// What is multiplied: with a scale of blocks it is not scaled.
TENON_FLAT tenon_vf tenon_weight_only_weight(tenon_vf q, const int how,
                                             const float *scale,
                                             ptrdiff_t step) {
  if (how == TENON_WEIGHT_PLAIN) return q;
  const tenon_vf zero = tenon_vf_load(scale + step);
  return how == TENON_WEIGHT_ADDED ? tenon_vf_fma(q, tenon_vf_load(scale), zero)
                                   : q - zero;
}

// Integer `i` of the words of `nv` vectors, with `mr` rows or, without one, to
// `floats`, where panels are `lda` rows of floats. All but pointers are
// constants after inlining.
TENON_FLAT void tenon_weight_only_step(const int mr, const int nv,
                                       const int bits, const int how,
                                       const int i, const tenon_vi *words,
                                       const float *scale, ptrdiff_t step,
                                       const float *x, ptrdiff_t lda,
                                       tenon_vf sum[][8], float *floats) {
  const ptrdiff_t panel = lda * TENON_LANES;
  tenon_vf a[4];
  TENON_UNROLL
  for (int r = 0; r < mr; ++r)
    a[r] = tenon_vf_splat(x[r * lda]);
  TENON_UNROLL
  for (int j = 0; j < nv; ++j) {
    const tenon_vf w =
        tenon_weight_only_weight(tenon_weight_only_field(words[j], bits, i),
                                 how, scale + j * TENON_VL, step);
    TENON_UNROLL
    for (int r = 0; r < mr; ++r)
      sum[r][j] = tenon_vf_fma(a[r], w, sum[r][j]);
    if (mr == 0)
      tenon_vf_store(floats + j / TENON_VPP * panel + j % TENON_VPP * TENON_VL,
                     w);
  }
}

// Asks for what lies ahead of a row of a group: of all rows, or some row of
// each block would have to be waited for.
TENON_FLAT void tenon_weight_only_fetch(const int nv, const float *from) {
  TENON_UNROLL
  for (int j = 0; j < nv; ++j)
    if (j * TENON_VB % 64 == 0)
      __builtin_prefetch((const char *)(from + j * TENON_VL) +
                         TENON_WEIGHT_AHEAD);
}

// The integers of a block from `from` on.
TENON_FLAT void tenon_weight_only_block_of(const int mr, const int nv,
                                           const int bits, const int how,
                                           const tenon_weight_only *p,
                                           const float *scale,
                                           const float *from, const float *x,
                                           tenon_vf sum[][8], float *floats) {
  const int fields = 32 / bits;
  const ptrdiff_t step = p->step, lda = p->k;
  for (ptrdiff_t i = 0; i < p->block; i += fields, from += step) {
    const ptrdiff_t left = p->block - i;
    tenon_vi words[8];
    tenon_weight_only_fetch(nv, from);
    TENON_UNROLL
    for (int j = 0; j < nv; ++j)
      words[j] = tenon_vi_load(from + j * TENON_VL);
    if (left >= fields) {
      TENON_UNROLL
      for (int f = 0; f < fields; ++f)
        tenon_weight_only_step(mr, nv, bits, how, f, words, scale, step,
                               mr ? x + f : x, lda, sum,
                               mr ? floats : floats + f * TENON_LANES);
    } else {
      for (ptrdiff_t f = 0; f < left; ++f) {
        tenon_weight_only_step(mr, nv, bits, how, 0, words, scale, step,
                               mr ? x + f : x, lda, sum,
                               mr ? floats : floats + f * TENON_LANES);
        TENON_UNROLL
        for (int j = 0; j < nv; ++j)
          words[j] = (tenon_vi)((tenon_vu)words[j] >> bits);
      }
    }
    if (mr)
      x += fields;
    else
      floats += fields * TENON_LANES;
  }
}

// `from`: the first scale of the vectors at hand.
TENON_FLAT void tenon_weight_only_blocks(const int mr, const int nv,
                                         const int bits, const int how,
                                         const tenon_weight_only *p,
                                         const float *from, const float *x,
                                         tenon_vf acc[][8], float *floats) {
  const ptrdiff_t first = (how == TENON_WEIGHT_PLAIN ? 1 : 2) * p->step;
  for (ptrdiff_t k = 0; k < p->k; k += p->block, from += p->stride) {
    tenon_weight_only_fetch(nv, from);
    if (how != TENON_WEIGHT_PLAIN) tenon_weight_only_fetch(nv, from + p->step);
    if (mr == 0 || how == TENON_WEIGHT_ADDED) {
      tenon_weight_only_block_of(mr, nv, bits, how, p, from, from + first,
                                 mr ? x + k : x, acc,
                                 mr ? floats : floats + k * TENON_LANES);
      continue;
    }
    tenon_vf sum[4][8];
    TENON_UNROLL
    for (int r = 0; r < mr; ++r) {
      TENON_UNROLL
      for (int j = 0; j < nv; ++j)
        sum[r][j] = (tenon_vf){0};
    }
    tenon_weight_only_block_of(mr, nv, bits, how, p, from, from + first, x + k,
                               sum, floats);
    TENON_UNROLL
    for (int j = 0; j < nv; ++j) {
      const tenon_vf scale = tenon_vf_load(from + j * TENON_VL);
      TENON_UNROLL
      for (int r = 0; r < mr; ++r)
        acc[r][j] = tenon_vf_fma(sum[r][j], scale, acc[r][j]);
    }
  }
}

// Each form has a loop of its own.
TENON_FLAT void tenon_weight_only_any(const int mr, const int nv,
                                      const tenon_weight_only *p,
                                      const float *from, const float *x,
                                      tenon_vf acc[][8], float *floats) {
  const int how = tenon_weight_only_how(p);
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
  tenon_vf acc[4][8];
  float spare[8 * TENON_VL];
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
TENON_WEIGHT_TILE(one_wide, 1, TENON_WEIGHT_WIDE)
#if TENON_WEIGHT_WIDE > 4
TENON_WEIGHT_TILE(one_half, 1, 4)
#else
#define tenon_weight_only_one_half tenon_weight_only_one_wide
#endif
TENON_WEIGHT_TILE(four, 4, TENON_VPP)
#if TENON_VPP < 2
TENON_WEIGHT_TILE(four_wide, 4, 2)
#else
#define tenon_weight_only_four_wide tenon_weight_only_four
#endif
#undef TENON_WEIGHT_TILE

// The integers of a panel, or of two, as floats.
TENON_APART void tenon_weight_only_expand(const tenon_weight_only *p,
                                          const float *panel, float *floats) {
  tenon_vf none[1][8];
  tenon_weight_only_any(0, TENON_VPP, p, panel + p->step, floats, none, floats);
}
TENON_APART void tenon_weight_only_expand_two(const tenon_weight_only *p,
                                              const float *panel,
                                              float *floats) {
  tenon_vf none[1][8];
  tenon_weight_only_any(0, 2 * TENON_VPP, p, panel + p->step, floats, none,
                        floats);
}

typedef void tenon_weight_only_fn(const tenon_weight_only *, const float *,
                                  ptrdiff_t, const float *, float *);

// What takes one row, or four, with the next of `left` outputs of a group, and
// in *width how many: as many as there are whole tiles of, or a panel.
TENON_INLINE tenon_weight_only_fn *tenon_weight_only_find(bool is_one,
                                                          ptrdiff_t left,
                                                          ptrdiff_t *width) {
  if (is_one) {
    *width = TENON_WEIGHT_WIDE * TENON_VL;
    if (left >= *width) return tenon_weight_only_one_wide;
    *width = 4 * TENON_VL;
    if (left >= *width) return tenon_weight_only_one_half;
    *width = TENON_LANES;
    return tenon_weight_only_one;
  }
  *width = TENON_VPP < 2 ? 2 * TENON_LANES : TENON_LANES;
  if (left >= *width) return tenon_weight_only_four_wide;
  *width = TENON_LANES;
  return tenon_weight_only_four;
}

// A few rows with `count` outputs of a group: four at a time, and what is left
// one by one; three of them with one that is computed already.
TENON_INLINE void tenon_weight_only_few(const tenon_weight_only *p,
                                        const float *group, ptrdiff_t count,
                                        ptrdiff_t m, const float *x, float *y) {
  for (ptrdiff_t i = 0, rows; i < m; i += rows) {
    rows = m < 4 || m - i < 3 ? 1 : 4;
    if (i + rows > m) i = m - rows;
    ptrdiff_t width;
    for (ptrdiff_t j = 0; j < p->step; j += width) {
      tenon_weight_only_fn *tile =
          tenon_weight_only_find(rows == 1, p->step - j, &width);
      const ptrdiff_t some = count - j < width ? count - j : width;
      tile(p, group + j, some, x + i * p->k, y + i * p->n + j);
    }
  }
}

// Many rows with `count` outputs of a group, whose floats lie in scratch, two
// panels at a time.
TENON_INLINE void tenon_weight_only_many(const tenon_weight_only *p,
                                         const float *group, ptrdiff_t count,
                                         ptrdiff_t m, const float *x, float *y,
                                         float *floats) {
  const ptrdiff_t width = TENON_WEIGHT_ONLY_PANELS * TENON_LANES;
  for (ptrdiff_t j = 0; j < count; j += width) {
    const ptrdiff_t some = count - j < width ? count - j : width;
    (some > TENON_LANES ? tenon_weight_only_expand_two
                        : tenon_weight_only_expand)(p, group + j, floats);
    tenon_weight_rows(p, floats, group + j, some, m, x, y + j);
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
    p.stride =
        p.step * tenon_weight_only_rows(p.block, p.is_narrow, p.has_zeros);
    if (m > TENON_WEIGHT_ONLY_FEW)
      tenon_weight_only_many(&p, group, count, m, x, y, (float *)c->scratch);
    else
      tenon_weight_only_few(&p, group, count, m, x, y);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_WEIGHT_ONLY_LINEAR_F32_OPT_H
