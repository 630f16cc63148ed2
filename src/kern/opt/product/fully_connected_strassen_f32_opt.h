// kern/opt/product/fully_connected_strassen_f32_opt.h - products of matrices of
// floats with fewer multiplications; the order is that of
// kern/product/strassen.h.
//
// Sums of a block's rows are made once, a plane for each. Differences of
// weights are not stored with the program: the first tile of rows makes those
// of a group of channels while it reads the packed ones, and leaves them to the
// tiles behind it. A processor has units to load and add in while its products
// keep it busy, as long as the weights are near: all tiles of a group share in
// fetching the next one's, or those which fetch would wait for memory.
//
// Where sums of a block's rows are large, those of a part of k are made and
// multiplied by all groups before the next part, whose products go on with the
// sums that are there: so both stay in the second-level cache, and weights pass
// by once.
//
// Pairs of rows that are direct sums are few, and computed as such over what
// the others' products have left there; those at either end of a block are
// left out of these.
#ifndef TENON_KERN_OPT_FULLY_CONNECTED_STRASSEN_F32_OPT_H
#define TENON_KERN_OPT_FULLY_CONNECTED_STRASSEN_F32_OPT_H

#include "kern/opt/product/strassen_blocks.h"
#include "kern/opt/tiles/tile_f32.h"

typedef void tenon_strassen_tile_fn(const tenon_gemm_f32 *, const tenon_walk *,
                                    ptrdiff_t, const float *, ptrdiff_t,
                                    float *, ptrdiff_t, ptrdiff_t, float *);
#define TENON_TILE(mr, nv)                                                     \
  TENON_APART void tenon_strassen_tile_##mr##_##nv(                            \
      const tenon_gemm_f32 *g, const tenon_walk *w, ptrdiff_t v,               \
      const float *a, ptrdiff_t lda, float *c, ptrdiff_t ldc, ptrdiff_t minus, \
      float *made) {                                                           \
    tenon_tile_f32(mr, nv, g, w, v, a, lda, c, ldc, true, minus, made);        \
  }
TENON_EACH_TILE(TENON_TILE)
#undef TENON_TILE

static tenon_strassen_tile_fn *tenon_strassen_tile_find(ptrdiff_t mr,
                                                        ptrdiff_t nv) {
  switch (mr * 16 + nv) {
#define TENON_TILE(mr, nv) \
  case mr * 16 + nv:       \
    return tenon_strassen_tile_##mr##_##nv;
    TENON_EACH_TILE(TENON_TILE)
#undef TENON_TILE
  }
  return NULL;
}

typedef struct tenon_strassen_work {
  tenon_strassen g;
  tenon_gemm_f32 gemm;  // all channels
  tenon_walk walk;      // the part of k at hand
  ptrdiff_t at;         // of each half, where it begins
  const float *x;       // the block's rows
  float *y;
  ptrdiff_t rows;
  ptrdiff_t first, pairs;  // of which these have 7 products
  bool is_direct[TENON_STRASSEN_PAIRS];
  float *in, *sums, *made;
  ptrdiff_t in_plane, sums_plane;
  bool is_back;        // the products of this group, from the last one on
  const float *fetch;  // weights of the next group, those not fetched yet
} tenon_strassen_work;

// Magnitudes as integers, which have the same order; NaN are above all others.
TENON_FLAT tenon_vi tenon_strassen_larger(tenon_vi most, tenon_vf x) {
  const tenon_vi mask = tenon_vi_splat(0x7fffffff);
  const tenon_vi size = (tenon_vi)x & mask;
#ifdef TENON_HAS_LIMIT
  return tenon_vi_limit(size, most, mask);  // a choice by a mask takes longer
#else
  return tenon_vi_pick(size > most, size, most);
#endif
}
TENON_FLAT float tenon_strassen_largest(tenon_vi most) {
  int32_t size = 0;
  float largest;
  for (int i = 0; i < TENON_VL; ++i)
    size = most[i] > size ? most[i] : size;
  memcpy(&largest, &size, sizeof largest);
  return largest;
}

// Whether pair i has these products: its rows are about as large.
static bool tenon_strassen_is_pair(const tenon_strassen_work *s, ptrdiff_t i) {
  const ptrdiff_t k = s->g.k;
  const float *p = s->x + 2 * i * k, *q = p + k;
  tenon_vi first = {0}, second = {0};
  for (ptrdiff_t j = 0; j < k; j += TENON_VL) {
    first = tenon_strassen_larger(first, tenon_vf_load(p + j));
    second = tenon_strassen_larger(second, tenon_vf_load(q + j));
  }
  return tenon_strassen_is_near(tenon_strassen_largest(first),
                                tenon_strassen_largest(second));
}

// Pair i in the planes of sums of rows, which are in the order of the products
// that take them. All of k at once: also whether it has these products.
TENON_FLAT bool tenon_strassen_pair(const bool is_all,
                                    const tenon_strassen_work *s, ptrdiff_t i) {
  const ptrdiff_t half = s->g.half, plane = s->in_plane, depth = s->walk.len;
  const float *p = s->x + 2 * i * s->g.k + s->at, *q = p + s->g.k;
  float *to = s->in + i * depth;
  tenon_vi first = {0}, second = {0};
  for (ptrdiff_t k = 0; k < depth; k += TENON_VL) {
    const tenon_vf a11 = tenon_vf_load(p + k);
    const tenon_vf a12 = tenon_vf_load(p + half + k);
    const tenon_vf a21 = tenon_vf_load(q + k);
    const tenon_vf a22 = tenon_vf_load(q + half + k);
    if (is_all) {
      first = tenon_strassen_larger(tenon_strassen_larger(first, a11), a12);
      second = tenon_strassen_larger(tenon_strassen_larger(second, a21), a22);
    }
    tenon_vf_store(to + k, a11 + a22);
    tenon_vf_store(to + plane + k, a21 + a22);
    tenon_vf_store(to + 2 * plane + k, a11 + a12);
    tenon_vf_store(to + 3 * plane + k, a11 - a21);
    tenon_vf_store(to + 4 * plane + k, a12 - a22);
  }
  return !is_all || tenon_strassen_is_near(tenon_strassen_largest(first),
                                           tenon_strassen_largest(second));
}

TENON_APART void tenon_strassen_rows(tenon_strassen_work *s) {
  const bool is_all = s->walk.len == s->g.half;
  ptrdiff_t end = 0;
  s->first = 0;
  for (ptrdiff_t i = 0; i < (s->rows + 1) / 2; ++i) {
    s->is_direct[i] =
        2 * i + 1 == s->rows || !(is_all ? tenon_strassen_pair(true, s, i)
                                         : tenon_strassen_is_pair(s, i));
    if (s->is_direct[i]) continue;
    if (!end) s->first = i;
    end = i + 1;
  }
  s->pairs = end - s->first;
}

// The sums of the next part of k.
TENON_APART void tenon_strassen_part(const tenon_strassen_work *s) {
  for (ptrdiff_t i = s->first; i < s->first + s->pairs; ++i)
    tenon_strassen_pair(false, s, i);
}

// Floats that a tile fetches a step and panel, so that all tiles of a group
// together fetch the next one's weights: but for those that make differences,
// which have lines enough to wait for, where there are others. Of a part of k
// the tiles of each product fetch as many weights as it has.
static ptrdiff_t tenon_strassen_step(ptrdiff_t pairs, bool is_part) {
  const ptrdiff_t all = (pairs + TENON_MR2 - 1) / TENON_MR2;
  const ptrdiff_t made = all > 1 ? TENON_STRASSEN_MADE : 0;
  const ptrdiff_t tiles =
      is_part ? all - (all > 1) : TENON_STRASSEN_SUMS * all - made;
  const ptrdiff_t floats = is_part ? TENON_LANES : 4 * TENON_LANES;
  const ptrdiff_t step = (floats + tiles - 1) / tiles;
  return step < TENON_LANES ? step : TENON_LANES;
}

// The pairs' rows times weights of g or, where `minus` is not zero, times
// differences: of these and those `minus` floats further. Each tile fetches a
// part of the next group's weights, `step` floats a step and panel: of what
// begins at s->fetch or, of a part of k, of the panels at `next`, if not null.
static void tenon_strassen_product(tenon_strassen_work *s,
                                   const tenon_gemm_f32 *g, ptrdiff_t minus,
                                   const float *a, ptrdiff_t lda, float *c,
                                   const float *next) {
  const ptrdiff_t end = g->n / TENON_VL, m = s->pairs, depth = s->walk.len;
  tenon_gemm_f32 own = *g;
  for (ptrdiff_t v = 0, nv; v < end; v += nv) {
    nv = tenon_tile_columns(m, end - v);
    const float *fetch = next ? next + v / TENON_VPP * g->panel : s->fetch;
    ptrdiff_t fetched = depth * g->step;
    if (!next) fetched *= (nv + TENON_VPP - 1) / TENON_VPP;
    for (ptrdiff_t i = 0, mr; i < m; i += mr) {
      const float *from = a + i * lda;
      float *to = c + i * (TENON_GROUP / 2) + v * TENON_VL;
      mr = tenon_tile_rows(m - i, nv);
      const bool is_made = minus && i == 0;
      const bool fetches = fetch && (!is_made || mr == m);
      own.fetch = fetches ? fetch : NULL;
      if (is_made) {
        own.weights = g->weights;
        own.panel = g->panel;
        tenon_strassen_tile_find(mr, nv)(&own, &s->walk, v, from, lda, to,
                                         TENON_GROUP / 2, minus, s->made);
        own.weights = s->made;
        own.panel = depth * TENON_LANES;
      } else {
        tenon_tile_f32_find(mr, nv, 0)(&own, &s->walk, v, from, lda, to,
                                       TENON_GROUP / 2);
      }
      if (fetches) fetch += fetched;
    }
    if (!next) s->fetch = fetch;
  }
}

// Both rows of each pair, of `width` channels and those behind them.
TENON_FLAT void tenon_strassen_put(const bool is_limited,
                                   const tenon_strassen_work *s, ptrdiff_t from,
                                   ptrdiff_t width) {
  const tenon_gemm_f32 *g = &s->gemm;
  const tenon_vf lo = tenon_vf_splat(g->lo), hi = tenon_vf_splat(g->hi);
  const ptrdiff_t n = s->g.n, plane = s->sums_plane;
  for (ptrdiff_t i = 0; i < s->pairs; ++i) {
    const float *sums = s->sums + i * (TENON_GROUP / 2);
    float *to = s->y + 2 * (s->first + i) * n + from;
    for (ptrdiff_t j = 0; j < width; j += TENON_VL) {
      tenon_vf m[TENON_STRASSEN_SUMS], y[4];
      TENON_UNROLL
      for (int k = 0; k < TENON_STRASSEN_SUMS; ++k)
        m[k] = tenon_vf_load(sums + k * plane + j);
      y[0] = m[0] + m[3] + m[4] + m[6];
      y[1] = m[2] + m[4];
      y[2] = m[1] + m[3];
      y[3] = m[1] + m[2] + m[5] - m[0];
      TENON_UNROLL
      for (int k = 0; k < 4; ++k) {
        const float *at = g->bias + from + j + k % 2 * width;
        if (g->scale)
          y[k] = (y[k] + tenon_vf_load(at)) * tenon_vf_load(at + g->scale);
        y[k] += tenon_vf_load(at + 2 * g->scale);
        if (is_limited) y[k] = tenon_vf_clamp(y[k], lo, hi);
      }
      tenon_vf_store(to + j, y[0]);
      tenon_vf_store(to + width + j, y[1]);
      tenon_vf_store(to + n + j, y[2]);
      tenon_vf_store(to + n + width + j, y[3]);
    }
  }
}
TENON_APART void tenon_strassen_outputs(const tenon_strassen_work *s,
                                        ptrdiff_t from, ptrdiff_t width) {
  if (TENON_VB < 64 || s->gemm.is_limited)
    tenon_strassen_put(true, s, from, width);
  else
    tenon_strassen_put(false, s, from, width);
}

// The products of the pairs of channels of a group, of a block whose sums of
// rows are there. Weights of the next one to be multiplied, of as many values,
// are those of this part of k, or begin at `then`.
static void tenon_strassen_products(tenon_strassen_work *s, ptrdiff_t from,
                                    ptrdiff_t width, const float *then) {
  const ptrdiff_t half = s->g.half, depth = s->walk.len, lda = 2 * s->g.k;
  const ptrdiff_t next = width / TENON_LANES * s->gemm.panel;
  const ptrdiff_t down = half * TENON_LANES;
  const ptrdiff_t plane = s->in_plane, sums = s->sums_plane;
  const float *b11 = s->gemm.weights + from / TENON_LANES * s->gemm.panel +
                     s->at * TENON_LANES;
  const float *x = s->x + 2 * s->first * s->g.k + s->at;
  const float *in = s->in + s->first * depth;
  float none[TENON_GROUP / 2];  // what leaves every sum as it is
  tenon_gemm_f32 g = s->gemm;
  for (ptrdiff_t i = 0; i < TENON_GROUP / 2; ++i)
    none[i] = -0.0f;
  g.bias = none;
  g.scale = 0;
  g.lo = -INFINITY;
  g.hi = INFINITY;
  g.is_limited = false;
  g.goes_on = s->at > 0;
  g.n = width;
  g.step = tenon_strassen_step(s->pairs, depth < half);
  g.aside = depth < half ? g.panel : depth * g.step;
  s->fetch = depth < half ? NULL : b11 + 2 * next;
  const struct {
    const float *weights;
    ptrdiff_t minus;
    const float *a;
    ptrdiff_t lda;
  } all[TENON_STRASSEN_SUMS] = {
      {b11, next + down, in, depth},
      {b11, 0, in + plane, depth},
      {b11 + next, down, x, lda},
      {b11 + down, -down, x + s->g.k + half, lda},
      {b11 + next + down, 0, in + 2 * plane, depth},
      {b11, next, in + 3 * plane, depth},
      {b11 + down, next, in + 4 * plane, depth},
  };
  // Groups go through them forth and back: the next one begins with rows that
  // the cache still has.
  for (int i = 0; i < TENON_STRASSEN_SUMS; ++i) {
    const int k = s->is_back ? TENON_STRASSEN_SUMS - 1 - i : i;
    g.weights = all[k].weights;
    tenon_strassen_product(
        s, &g, all[k].minus, all[k].a, all[k].lda, s->sums + k * sums,
        then && i < 4 ? then + i / 2 * next + i % 2 * down : NULL);
  }
  s->is_back = !s->is_back;
}

// Rows begin .. end of pairs, of vectors v .. v_end, by direct sums.
static void tenon_strassen_direct(const tenon_strassen_work *s, ptrdiff_t begin,
                                  ptrdiff_t end, ptrdiff_t v, ptrdiff_t v_end) {
  const ptrdiff_t row = 2 * begin;
  const ptrdiff_t rows = (2 * end < s->rows ? 2 * end : s->rows) - row;
  tenon_product_f32(&s->gemm, s->g.k, v, v_end, rows, s->x + row * s->g.k,
                    s->y + row * s->g.n);
}

// What follows the products of a group, and its direct sums.
static void tenon_strassen_end(tenon_strassen_work *s, ptrdiff_t group) {
  const ptrdiff_t from = group * TENON_GROUP, all = (s->rows + 1) / 2;
  const ptrdiff_t width = tenon_strassen_apart(s->g.n, from);
  const ptrdiff_t v = (from + 2 * width) / TENON_VL;
  if (width && s->pairs) tenon_strassen_outputs(s, from, width);
  for (ptrdiff_t i = 0, end; width && i < all; i = end) {
    for (end = i; end < all && s->is_direct[end]; ++end) {
    }
    if (end > i) tenon_strassen_direct(s, i, end, from / TENON_VL, v);
    if (end == i) ++end;
  }
  tenon_strassen_direct(s, 0, all, v, tenon_group_end(group, s->g.n));
}

// Groups begin .. end of the block at hand, whose rows are looked at.
static void tenon_strassen_block(tenon_strassen_work *s,
                                 const tenon_strassen_planes *p,
                                 ptrdiff_t begin, ptrdiff_t end) {
  const ptrdiff_t half = s->g.half;
  const bool is_whole = p->depth == half;
  float *sums = s->sums;
  for (s->at = 0; s->at < half; s->at += p->depth) {
    if (s->walk.len > half - s->at) s->walk.len = half - s->at;
    if (!is_whole) tenon_strassen_part(s);
    for (ptrdiff_t i = begin; i < end; ++i) {
      const ptrdiff_t from = i * TENON_GROUP;
      const ptrdiff_t width = tenon_strassen_apart(s->g.n, from);
      const ptrdiff_t then = i + 1 < end ? i + 1 : begin;
      if (!is_whole)
        s->sums = sums + (i - begin) * TENON_STRASSEN_SUMS * s->sums_plane;
      if (width && s->pairs)
        tenon_strassen_products(
            s, from, width,
            is_whole
                ? NULL
                : s->gemm.weights +
                      then * (TENON_GROUP / TENON_LANES) * s->gemm.panel +
                      (s->at + (then == begin ? p->depth : 0)) * TENON_LANES);
      if (s->at + p->depth >= half) tenon_strassen_end(s, i);
    }
  }
  s->sums = sums;
  s->walk.len = p->depth;
  s->at = 0;
}

TENON_INLINE tenon_status tenon_fully_connected_strassen_f32_run(
    const tenon_call *c, int64_t begin, int64_t end) {
  tenon_strassen_work s;
  s.g = tenon_strassen_of(c);
  const tenon_blocks blocks = tenon_strassen_blocks(&s.g);
  const tenon_strassen_planes p = tenon_strassen_planes_of(&s.g, &blocks);
  const tenon_walk walk = {.ny = 1, .nx = 1, .len = p.depth};
  s.gemm = tenon_gemm_f32_of(c->packed, s.g.k, s.g.n);
  s.walk = walk;
  s.at = 0;
  s.in = (float *)c->scratch;
  s.in_plane = p.in;
  s.sums = s.in + TENON_STRASSEN_ROWS * p.in;
  s.sums_plane = p.sums;
  s.made = s.sums + p.groups * TENON_STRASSEN_SUMS * p.sums;
  s.is_back = false;
  while (begin < end) {
    tenon_work work;
    begin = tenon_blocks_work(&blocks, begin, end, &work);
    s.x = (const float *)c->in[0].data + work.begin * s.g.k;
    s.y = (float *)c->out[0].data + work.begin * s.g.n;
    s.rows = work.end - work.begin;
    tenon_strassen_rows(&s);
    tenon_strassen_block(&s, &p, work.group, work.group_end);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_FULLY_CONNECTED_STRASSEN_F32_OPT_H
