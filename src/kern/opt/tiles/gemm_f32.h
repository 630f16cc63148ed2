// kern/opt/tiles/gemm_f32.h - products of rows of floats with packed weights:
// where these lie, and what follows the sums of a tile.
#ifndef TENON_KERN_OPT_GEMM_F32_H
#define TENON_KERN_OPT_GEMM_F32_H

#include <math.h>

#include "kern/opt/tiles/blocks.h"
#include "kern/opt/tiles/tiles.h"
#include "kern/opt/vectors.h"

// Floats of a panel of weights, of which four are too many for the cache: then
// those some steps further are fetched, not those of the next panels.
enum { TENON_DEEP = 1 << 15, TENON_NEAR = 1 << 10 };

typedef struct tenon_gemm_f32 {
  const float *bias, *weights;
  ptrdiff_t scale;  // floats from bias to scale and from there to shift, or 0
  ptrdiff_t panel;  // floats of a panel
  // Floats from weights to those that are fetched meanwhile; 0: whichever come
  // next.
  ptrdiff_t ahead;
  // If not null, what is fetched instead: `step` floats on with each step, and
  // `aside` floats further for each panel of a tile.
  const float *fetch;
  ptrdiff_t step, aside;
  // If not null, what all tiles of one run of values fetch together, packed as
  // the weights are: where the first one did so alone, it waited for memory.
  const float *next;
  ptrdiff_t n;  // outputs of a row
  float lo, hi;
  bool is_limited;
  bool goes_on;  // sums begin with what is there, not with zeros
} tenon_gemm_f32;

TENON_INLINE tenon_gemm_f32 tenon_gemm_f32_of(const void *packed, ptrdiff_t k,
                                              ptrdiff_t n) {
  const tenon_packed_f32 *head = (const tenon_packed_f32 *)packed;
  const ptrdiff_t np = tenon_round_up(n, TENON_LANES);
  tenon_gemm_f32 g;
  g.bias = (const float *)(head + 1);
  g.scale = head->is_scaled ? np : 0;
  g.weights = g.bias + np + 2 * g.scale;
  g.panel = k * TENON_LANES;
  g.ahead = 0;
  g.fetch = NULL;
  g.next = NULL;
  g.step = 0;
  g.aside = 0;
  g.n = n;
  g.lo = head->lo;
  g.hi = head->hi;
  g.goes_on = false;
  g.is_limited = g.lo > -INFINITY || g.hi < INFINITY;
  return g;
}

// Whether a tile stores no more than there are outputs, by masks; else those at
// the edge go through a spare tile.
#ifdef TENON_HAS_PART
#define TENON_TILE_IS_SPARE 0
#else
#define TENON_TILE_IS_SPARE 1
#endif

// What is added and limited behind the sums of a tile's columns, in registers.
typedef struct tenon_tile_f32_ends {
  tenon_vf last[8], lo, hi;
} tenon_tile_f32_ends;

TENON_FLAT tenon_tile_f32_ends tenon_tile_f32_ends_of(const int nv,
                                                      const tenon_gemm_f32 *g,
                                                      ptrdiff_t v) {
  const float *at = g->bias + v * TENON_VL + 2 * g->scale;
  tenon_tile_f32_ends e;
  TENON_UNROLL
  for (int j = 0; j < nv; ++j, at += TENON_VL)
    e.last[j] = tenon_vf_load(at);
  e.lo = tenon_vf_splat(g->lo);
  e.hi = tenon_vf_splat(g->hi);
  return e;
}

// The sums of a tile, with `last` added, and limited where `is_limited`, to
// rows at `c`, one behind the other; of the last register `left` lanes where
// `is_part`.
TENON_FLAT void tenon_tile_f32_put(const int mr, const int nv,
                                   const bool is_limited, const bool is_part,
                                   const tenon_tile_f32_ends *e,
                                   tenon_vf acc[][8], ptrdiff_t left, float *c,
                                   ptrdiff_t ldc) {
  TENON_UNROLL
  for (int i = 0; i < mr; ++i) {
    TENON_UNROLL
    for (int j = 0; j < nv; ++j) {
      tenon_vf x = acc[i][j] + e->last[j];
      if (is_limited) x = tenon_vf_clamp(x, e->lo, e->hi);
      if (is_part && j == nv - 1)
        tenon_vf_store_part(c + j * TENON_VL, x, left);
      else
        tenon_vf_store(c + j * TENON_VL, x);
    }
    c += ldc;
    TENON_SETTLE_POINTER(c);
  }
}

// What follows the sums, `e` among it. Wide additions and comparisons have the
// same ports of a processor, so limits that change nothing are left out there.
TENON_FLAT void tenon_tile_f32_end_by(const int mr, const int nv,
                                      const tenon_gemm_f32 *g,
                                      const tenon_tile_f32_ends *e, ptrdiff_t v,
                                      tenon_vf acc[][8], float *c,
                                      ptrdiff_t ldc) {
  if (g->scale) {
    const float *at = g->bias + v * TENON_VL;
    TENON_UNROLL
    for (int j = 0; j < nv; ++j, at += TENON_VL) {
      const tenon_vf scale = tenon_vf_load(at + g->scale);
      const tenon_vf bias = tenon_vf_load(at);
      TENON_UNROLL
      for (int i = 0; i < mr; ++i)
        acc[i][j] = (acc[i][j] + bias) * scale;
    }
  }
  const ptrdiff_t left = g->n - (v + nv - 1) * TENON_VL;
  const bool is_limited = TENON_VB < 64 || g->is_limited;
  const bool is_part = !TENON_TILE_IS_SPARE && left < TENON_VL;
  if (is_limited && is_part)
    tenon_tile_f32_put(mr, nv, true, true, e, acc, left, c, ldc);
  else if (is_limited)
    tenon_tile_f32_put(mr, nv, true, false, e, acc, left, c, ldc);
  else if (is_part)
    tenon_tile_f32_put(mr, nv, false, true, e, acc, left, c, ldc);
  else
    tenon_tile_f32_put(mr, nv, false, false, e, acc, left, c, ldc);
}

TENON_FLAT void tenon_tile_f32_end(const int mr, const int nv,
                                   const tenon_gemm_f32 *g, ptrdiff_t v,
                                   tenon_vf acc[][8], float *c, ptrdiff_t ldc) {
  const tenon_tile_f32_ends e = tenon_tile_f32_ends_of(nv, g, v);
  tenon_tile_f32_end_by(mr, nv, g, &e, v, acc, c, ldc);
}

#endif  // TENON_KERN_OPT_GEMM_F32_H
