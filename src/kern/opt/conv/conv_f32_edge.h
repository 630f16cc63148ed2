// kern/opt/conv/conv_f32_edge.h - outputs at the border of a column of pixels,
// whose windows begin or end at taps of their own.
//
// A long window leaves as many such outputs as half its taps, and one alone has
// too few sums to keep a processor busy. Several go together where all have
// taps; those that only some of them have come before and after, one output at
// a time. Each is one chain in the order of taps, as elsewhere.
#ifndef TENON_KERN_OPT_CONV_F32_EDGE_H
#define TENON_KERN_OPT_CONV_F32_EDGE_H

#include "kern/loop/window.h"
#include "kern/opt/tiles/tile_f32.h"

enum { TENON_EDGE = 4 };  // outputs of a tile

// A column of pixels: as many values of each as `depth` from `x` on.
typedef struct tenon_edge_f32 {
  const tenon_window *g;
  const tenon_gemm_f32 *gemm;
  ptrdiff_t depth;
  const float *x;
} tenon_edge_f32;

// Taps from `begin` to `end` of `n` outputs, the first of which begins at pixel
// `at`, to the sums of `nv` vectors each.
TENON_FLAT void tenon_edge_f32_taps(const int n, const int nv,
                                    const tenon_edge_f32 *s, const float *b,
                                    ptrdiff_t at, ptrdiff_t begin,
                                    ptrdiff_t end, tenon_vf acc[][8]) {
  const tenon_window *g = s->g;
  const ptrdiff_t down = g->down * g->c, panel = s->gemm->panel;
  for (ptrdiff_t k = begin; k < end; ++k) {
    const float *a = s->x + (at + k * g->dil_y) * g->c;
    const float *w = b + k * s->depth * TENON_LANES;
    for (ptrdiff_t p = 0; p < s->depth; ++p, w += TENON_LANES) {
      tenon_vf bv[2];
      tenon_tile_f32_weights(nv, w, panel, false, 0, NULL, 0, bv);
      TENON_UNROLL
      for (int i = 0; i < n; ++i) {
        tenon_vf one = tenon_vf_splat(a[i * down + p]);
        if (TENON_VB == 64 && nv > 1 && n > 1) TENON_SETTLE(one);
        TENON_UNROLL
        for (int j = 0; j < nv; ++j)
          acc[i][j] = tenon_vf_fma(one, bv[j], acc[i][j]);
      }
    }
  }
}

// TENON_EDGE outputs from `y` on, `nv` vectors from `v` on, to `c`.
TENON_FLAT void tenon_edge_f32_tile(const int nv, const tenon_edge_f32 *s,
                                    ptrdiff_t v, ptrdiff_t y, float *c) {
  const tenon_window *g = s->g;
  const float *b = s->gemm->weights + v / TENON_VPP * s->gemm->panel +
                   v % TENON_VPP * (ptrdiff_t)TENON_VL;
  tenon_taps t[TENON_EDGE];
  ptrdiff_t begin = 0, end = g->kh;  // taps that all have
  tenon_vf acc[TENON_EDGE][8];
  TENON_UNROLL
  for (int i = 0; i < TENON_EDGE; ++i) {
    t[i] = tenon_window_rows(g, y + i);
    if (begin < t[i].begin) begin = t[i].begin;
    if (end > t[i].end) end = t[i].end;
    TENON_UNROLL
    for (int j = 0; j < nv; ++j)
      acc[i][j] = (tenon_vf){0};
  }
  if (end < begin) end = begin;
  TENON_UNROLL
  for (int i = 0; i < TENON_EDGE; ++i)
    tenon_edge_f32_taps(1, nv, s, b, t[i].at, t[i].begin,
                        begin < t[i].end ? begin : t[i].end, acc + i);
  tenon_edge_f32_taps(TENON_EDGE, nv, s, b, t[0].at, begin, end, acc);
  TENON_UNROLL
  for (int i = 0; i < TENON_EDGE; ++i)
    tenon_edge_f32_taps(1, nv, s, b, t[i].at,
                        end > t[i].begin ? end : t[i].begin, t[i].end, acc + i);
  const ptrdiff_t left = s->gemm->n - v * TENON_VL, width = nv * TENON_VL;
  float edge[TENON_EDGE * 2 * TENON_VL];
  const bool is_apart = TENON_TILE_IS_SPARE && left < width;
  tenon_tile_f32_end(TENON_EDGE, nv, s->gemm, v, acc, is_apart ? edge : c,
                     is_apart ? width : g->out_c);
  for (int i = 0; is_apart && i < TENON_EDGE; ++i)
    tenon_copy_short(c + i * g->out_c, edge + i * width, left);
}

// Vectors from `v` to `v_end` of TENON_EDGE outputs from `y` on.
TENON_APART void tenon_edge_f32_rows(const tenon_edge_f32 *s, ptrdiff_t v,
                                     ptrdiff_t v_end, ptrdiff_t y, float *c) {
  c += y * s->g->out_c;
  for (; v + 2 <= v_end; v += 2)
    tenon_edge_f32_tile(2, s, v, y, c + v * TENON_VL);
  if (v < v_end) tenon_edge_f32_tile(1, s, v, y, c + v * TENON_VL);
}

#endif  // TENON_KERN_OPT_CONV_F32_EDGE_H
