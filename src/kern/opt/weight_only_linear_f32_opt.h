// kern/opt/weight_only_linear_f32_opt.h - product of floats with scaled
// integers, which become floats in registers: a few rows read a byte or half a
// byte for each weight instead of four. Many rows share two panels that are
// made floats once, in scratch, where the product of floats has its packed
// weights.
//
// Packed behind a head of 64 bytes, per panel of 16 outputs: their biases, then
// for each block of k scales and zero points, then the integers, a byte per
// output and k. Of 4 bits, a byte has those of two k's, the earlier in its low
// half; an odd block is filled up.
#ifndef TENON_KERN_OPT_WEIGHT_ONLY_LINEAR_F32_OPT_H
#define TENON_KERN_OPT_WEIGHT_ONLY_LINEAR_F32_OPT_H

#include "kern/opt/tile_f32.h"
#include "kern/opt/vectors.h"
#include "kern/weight_only.h"

typedef struct tenon_weight_only {
  ptrdiff_t k, n, block;
  bool is_narrow, adds;
} tenon_weight_only;

// Weights k of a panel as floats; `half`: 0 the low half of the bytes, 1 the
// high one, 2 all of them. `half` and `adds` are constants after inlining.
TENON_FLAT void tenon_weight_only_load(const int8_t *from, const int half,
                                       const bool adds, const tenon_vf *scale,
                                       const tenon_vf *zero, tenon_vf *to) {
  TENON_UNROLL
  for (int j = 0; j < TENON_VPP; ++j) {
    tenon_vi q = tenon_vi_widen(from + j * TENON_VL);
    if (half == 0) q = tenon_vi_shift(q, 28);
    if (half == 0) q = q >> 28;
    if (half == 1) q = q >> 4;
    const tenon_vf v = __builtin_convertvector(q, tenon_vf);
    to[j] =
        adds ? tenon_vf_fma(v, scale[j], zero[j]) : (v - zero[j]) * scale[j];
  }
}

TENON_FLAT void tenon_weight_only_add(const int mr, const float *x,
                                      ptrdiff_t lda, const tenon_vf *w,
                                      tenon_vf acc[][TENON_VPP]) {
  TENON_UNROLL
  for (int i = 0; i < mr; ++i) {
    const tenon_vf a = tenon_vf_splat(x[i * lda]);
    TENON_UNROLL
    for (int j = 0; j < TENON_VPP; ++j)
      acc[i][j] = tenon_vf_fma(a, w[j], acc[i][j]);
  }
}

// One panel and `mr` rows, or no row: then the floats go to `floats`.
TENON_FLAT void tenon_weight_only_blocks(const int mr, const bool is_narrow,
                                         const bool adds,
                                         const tenon_weight_only *p,
                                         const float *panel, const float *x,
                                         tenon_vf acc[][TENON_VPP],
                                         float *floats) {
  const ptrdiff_t bytes = is_narrow ? (p->block + 1) / 2 : p->block;
  for (ptrdiff_t k = 0; k < p->k; k += p->block) {
    tenon_vf scale[TENON_VPP], zero[TENON_VPP], w[TENON_VPP];
    const int8_t *q = (const int8_t *)(panel + 2 * TENON_LANES);
    TENON_UNROLL
    for (int j = 0; j < TENON_VPP; ++j) {
      scale[j] = tenon_vf_load(panel + j * TENON_VL);
      zero[j] = tenon_vf_load(panel + TENON_LANES + j * TENON_VL);
    }
    for (ptrdiff_t i = 0; i < p->block; ++i) {
      if (!is_narrow)
        tenon_weight_only_load(q + i * TENON_LANES, 2, adds, scale, zero, w);
      else if (i % 2)
        tenon_weight_only_load(q + i / 2 * TENON_LANES, 1, adds, scale, zero,
                               w);
      else
        tenon_weight_only_load(q + i / 2 * TENON_LANES, 0, adds, scale, zero,
                               w);
      if (mr == 0) {
        TENON_UNROLL
        for (int j = 0; j < TENON_VPP; ++j)
          tenon_vf_store(floats + (k + i) * TENON_LANES + j * TENON_VL, w[j]);
      } else {
        tenon_weight_only_add(mr, x + k + i, p->k, w, acc);
      }
    }
    panel += 2 * TENON_LANES + bytes * TENON_LANES / (ptrdiff_t)sizeof *panel;
  }
}

TENON_FLAT void tenon_weight_only_clear(const int mr,
                                        tenon_vf acc[][TENON_VPP]) {
  TENON_UNROLL
  for (int i = 0; i < mr; ++i) {
    TENON_UNROLL
    for (int j = 0; j < TENON_VPP; ++j)
      acc[i][j] = (tenon_vf){0};
  }
}

// The first `count` of a panel's outputs, with their biases.
TENON_FLAT void tenon_weight_only_store(const int mr, const float *bias,
                                        ptrdiff_t count, ptrdiff_t ldc,
                                        tenon_vf acc[][TENON_VPP], float *y) {
  float spare[TENON_LANES];
  TENON_UNROLL
  for (int i = 0; i < mr; ++i) {
    TENON_UNROLL
    for (int j = 0; j < TENON_VPP; ++j)
      tenon_vf_store(spare + j * TENON_VL,
                     acc[i][j] + tenon_vf_load(bias + j * TENON_VL));
    for (ptrdiff_t j = 0; j < count; ++j)
      y[i * ldc + j] = spare[j];
  }
}

// Each form has a loop of its own.
TENON_FLAT void tenon_weight_only_any(const int mr, const tenon_weight_only *p,
                                      const float *panel, const float *x,
                                      tenon_vf acc[][TENON_VPP],
                                      float *floats) {
  if (p->is_narrow && p->adds)
    tenon_weight_only_blocks(mr, true, true, p, panel, x, acc, floats);
  else if (p->is_narrow)
    tenon_weight_only_blocks(mr, true, false, p, panel, x, acc, floats);
  else if (p->adds)
    tenon_weight_only_blocks(mr, false, true, p, panel, x, acc, floats);
  else
    tenon_weight_only_blocks(mr, false, false, p, panel, x, acc, floats);
}

#define TENON_WEIGHT_ONLY_ROWS(mr)                                     \
  TENON_APART void tenon_weight_only_few##mr(                          \
      const tenon_weight_only *p, const float *panel, ptrdiff_t count, \
      const float *x, float *y) {                                      \
    tenon_vf acc[mr][TENON_VPP];                                       \
    tenon_weight_only_clear(mr, acc);                                  \
    tenon_weight_only_any(mr, p, panel + TENON_LANES, x, acc, NULL);   \
    tenon_weight_only_store(mr, panel, count, p->n, acc, y);           \
  }
TENON_WEIGHT_ONLY_ROWS(1)
TENON_WEIGHT_ONLY_ROWS(2)
TENON_WEIGHT_ONLY_ROWS(4)
#undef TENON_WEIGHT_ONLY_ROWS

TENON_APART void tenon_weight_only_expand(const tenon_weight_only *p,
                                          const float *panel, float *floats) {
  tenon_vf none[1][TENON_VPP];
  tenon_weight_only_any(0, p, panel + TENON_LANES, NULL, none, floats);
}

// A few rows with one panel.
TENON_INLINE void tenon_weight_only_few(const tenon_weight_only *p,
                                        const float *panel, ptrdiff_t count,
                                        ptrdiff_t m, const float *x, float *y) {
  ptrdiff_t i = 0;
  if (m == 4) {
    tenon_weight_only_few4(p, panel, count, x, y);
    return;
  }
  for (; m - i >= 2; i += 2)
    tenon_weight_only_few2(p, panel, count, x + i * p->k, y + i * p->n);
  if (i < m)
    tenon_weight_only_few1(p, panel, count, x + i * p->k, y + i * p->n);
}

// Many rows with `count` outputs of some panels, one `size` behind the other,
// whose floats lie in scratch.
TENON_INLINE void tenon_weight_only_many(const tenon_weight_only *p,
                                         const float *panel, ptrdiff_t size,
                                         ptrdiff_t count, ptrdiff_t m,
                                         const float *x, float *y,
                                         float *floats) {
  float bias[TENON_WEIGHT_ONLY_PANELS * TENON_LANES];
  const tenon_walk walk = {.ny = 1, .nx = 1, .len = p->k};
  tenon_gemm_f32 g = {.bias = bias,
                      .weights = floats,
                      .panel = p->k * TENON_LANES,
                      .n = count,
                      .lo = -INFINITY,
                      .hi = INFINITY};
  for (ptrdiff_t i = 0; i * TENON_LANES < count; ++i) {
    memcpy(bias + i * TENON_LANES, panel + i * size,
           sizeof bias[0] * TENON_LANES);
    tenon_weight_only_expand(p, panel + i * size, floats + i * g.panel);
  }
  tenon_gemm_f32_rows(&g, &walk, 0, (count + TENON_VL - 1) / TENON_VL, m, x,
                      p->k, y, p->n);
}

// Items of panels from begin to end.
TENON_INLINE tenon_status tenon_weight_only_run(const tenon_call *c,
                                                int64_t begin, int64_t end) {
  const ptrdiff_t width = TENON_WEIGHT_ONLY_PANELS * TENON_LANES;
  tenon_weight_only p;
  p.n = c->in[1].dims[0];
  p.k = c->in[1].dims[1];
  p.block = tenon_weight_only_block(c);
  p.is_narrow = ((const tenon_packed_weight_only *)c->packed)->is_narrow != 0;
  p.adds = ((const tenon_weight_only_attrs *)c->attrs)->adds;
  const ptrdiff_t m = (ptrdiff_t)tenon_count(&c->out[0]) / p.n;
  const ptrdiff_t size = tenon_weight_only_floats(p.k, p.block, p.is_narrow);
  const float *panels =
      (const float *)((const tenon_packed_weight_only *)c->packed + 1);
  const float *x = (const float *)c->in[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    ptrdiff_t left = p.n - i * width;
    const float *panel = panels + i * TENON_WEIGHT_ONLY_PANELS * size;
    float *y = (float *)c->out[0].data + i * width;
    if (left > width) left = width;
    if (m > TENON_WEIGHT_ONLY_FEW)
      tenon_weight_only_many(&p, panel, size, left, m, x, y,
                             (float *)c->scratch);
    for (; m <= TENON_WEIGHT_ONLY_FEW && left > 0; left -= TENON_LANES) {
      tenon_weight_only_few(&p, panel, left < TENON_LANES ? left : TENON_LANES,
                            m, x, y);
      panel += size;
      y += TENON_LANES;
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_WEIGHT_ONLY_LINEAR_F32_OPT_H
