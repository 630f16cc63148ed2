// kern/opt/image/grid_f32_opt.h - core::grid_sample on floats: a register of
// points at a time where each takes its neighbours or the nearest element, and
// nothing is reflected; else the loop of kern/op/grid.h. Each element is the
// same sum in the same order: a lane whose element is outside keeps its sum.
#ifndef TENON_KERN_OPT_GRID_F32_OPT_H
#define TENON_KERN_OPT_GRID_F32_OPT_H

#include <math.h>

#include "kern/op/grid.h"
#include "kern/opt/each/whole_f32_opt.h"

TENON_GRID_RUN(tenon_grid_sample_f32, float, fmaf, floorf, rintf, fmodf, fabsf)

typedef double tenon_grid_vd __attribute__((vector_size(TENON_VB)));
#if TENON_VB == 64
#define TENON_GRID_EVERY_OTHER(p, k)                                \
  {                                                                 \
    (p)[k], (p)[(k) + 2], (p)[(k) + 4], (p)[(k) + 6], (p)[(k) + 8], \
        (p)[(k) + 10], (p)[(k) + 12], (p)[(k) + 14]                 \
  }
#elif TENON_VB == 32
#define TENON_GRID_EVERY_OTHER(p, k) \
  { (p)[k], (p)[(k) + 2], (p)[(k) + 4], (p)[(k) + 6] }
#else
#define TENON_GRID_EVERY_OTHER(p, k) \
  { (p)[k], (p)[(k) + 2] }
#endif

// p[i] and its neighbour behind it, for each lane i: one load for both, and two
// registers of pairs, of even and of odd lanes, whose halves are zipped. Two
// gathers took four times as long.
TENON_FLAT void tenon_grid_pairs(const float *p, const int32_t *i, tenon_vf *x,
                                 tenon_vf *behind) {
  double pair[TENON_VL];
  TENON_UNROLL
  for (int k = 0; k < TENON_VL; ++k)
    memcpy(&pair[k], p + i[k], sizeof *pair);
  const tenon_grid_vd even = TENON_GRID_EVERY_OTHER(pair, 0);
  const tenon_grid_vd odd = TENON_GRID_EVERY_OTHER(pair, 1);
  *x = (tenon_vf)tenon_vi_zip((tenon_vi)even, (tenon_vi)((tenon_vq)odd << 32));
  *behind =
      (tenon_vf)tenon_vi_zip((tenon_vi)((tenon_vq)even >> 32), (tenon_vi)odd);
}

// What a register of points takes along an axis: places, 0 where they are
// outside, and the weights of each.
typedef struct tenon_grid_lanes {
  int n;
  tenon_vi at[2], is_in[2];
  tenon_vf weight[2];
} tenon_grid_lanes;

TENON_FLAT void tenon_grid_lanes_at(tenon_grid_lanes *g, int k, tenon_vf at,
                                    tenon_vf size) {
  g->is_in[k] = (at >= (tenon_vf){0}) & (at < size);
  at = tenon_vf_pick(g->is_in[k], at, (tenon_vf){0});
  g->at[k] = __builtin_convertvector(at, tenon_vi);
}

// The steps of tenon_grid_sample_f32_axis.
TENON_FLAT tenon_grid_lanes tenon_grid_lanes_of(
    tenon_vf at, int32_t elements, const tenon_grid_sample_attrs *a) {
  const tenon_vf size = tenon_vf_splat((float)elements);
  const tenon_vf last = tenon_vf_splat((float)(elements - 1));
  tenon_grid_lanes g;
  at = a->align_corners ? (at + 1.0f) / 2.0f * last
                        : ((at + 1.0f) * size - 1.0f) / 2.0f;
  if (a->padding == 1) {
    at = tenon_vf_pick(at < (tenon_vf){0}, (tenon_vf){0}, at);
    at = tenon_vf_pick(at > last, last, at);
  }
  g.n = a->mode == 1 ? 1 : 2;
  if (a->mode == 1) {
    tenon_grid_lanes_at(&g, 0, tenon_vf_round(at), size);
    g.weight[0] = tenon_vf_splat(1.0f);
    g.at[1] = g.is_in[1] = (tenon_vi){0};
    g.weight[1] = (tenon_vf){0};
    return g;
  }
  const tenon_vf low = tenon_vf_floor(at), high = low + 1.0f;
  tenon_grid_lanes_at(&g, 0, low, size);
  tenon_grid_lanes_at(&g, 1, high, size);
  g.weight[0] = high - at;
  g.weight[1] = at - low;
  return g;
}

// Both elements of an axis are loaded as one, from within the line: at its
// ends, where one is outside, they change places.
TENON_FLAT void tenon_grid_lanes_pair(tenon_grid_lanes *g, int32_t elements) {
  const tenon_vi last = tenon_vi_splat(elements - 2);
  const tenon_vi low = g->at[0], high = g->at[1];
  const tenon_vi is_low = g->is_in[0] & (low <= last);
  const tenon_vi in[2] = {g->is_in[0], g->is_in[1]};
  const tenon_vf weight[2] = {g->weight[0], g->weight[1]};
  // Where the first is outside, the second is at 0.
  g->at[0] = tenon_vi_pick(in[0], tenon_vi_pick(is_low, low, last), high);
  for (int k = 0; k < 2; ++k) {
    g->is_in[k] = tenon_vi_pick(is_low, in[k], in[1 - k]);
    g->weight[k] = tenon_vf_pick(is_low, weight[k], weight[1 - k]);
  }
}

// What a register of points takes of a channel: pairs of neighbours, or one
// element each.
typedef struct tenon_grid_taps {
  int n;
  bool is_whole;  // none is outside
  int32_t place[4][TENON_VL];
  tenon_vi is_in[8];
  tenon_vf factor[8];
} tenon_grid_taps;

// n points from `p` on; lanes behind the last have its own.
TENON_FLAT tenon_grid_taps tenon_grid_taps_of(const tenon_call *c,
                                              const float *p, ptrdiff_t n) {
  const tenon_grid_sample_attrs *a = (const tenon_grid_sample_attrs *)c->attrs;
  const int32_t *x = c->in[0].dims;
  const int32_t axes = c->in[1].dims[4];
  float lanes[3][TENON_VL];
  tenon_grid_lanes g[3];
  tenon_grid_taps t;
  tenon_vi all = tenon_vi_splat(-1);
  for (int k = 0; k < TENON_VL; ++k)
    for (int32_t d = 0; d < axes; ++d)
      lanes[d][k] = p[(k < n ? k : n - 1) * axes + d];
  g[0].n = 1;
  g[0].at[0] = (tenon_vi){0};
  g[0].is_in[0] = all;
  g[0].weight[0] = tenon_vf_splat(1.0f);
  g[1] = tenon_grid_lanes_of(tenon_vf_load(lanes[1]), x[3], a);
  g[2] = tenon_grid_lanes_of(tenon_vf_load(lanes[0]), x[4], a);
  if (axes == 3) g[0] = tenon_grid_lanes_of(tenon_vf_load(lanes[2]), x[2], a);
  if (g[2].n == 2) tenon_grid_lanes_pair(&g[2], x[4]);
  t.n = 0;
  for (int jd = 0; jd < g[0].n; ++jd) {
    for (int jh = 0; jh < g[1].n; ++jh, ++t.n) {
      tenon_vi_store(t.place[t.n],
                     (g[0].at[jd] * x[3] + g[1].at[jh]) * x[4] + g[2].at[0]);
      for (int jw = 0; jw < g[2].n; ++jw) {
        const int k = 2 * t.n + jw;
        t.is_in[k] = g[0].is_in[jd] & g[1].is_in[jh] & g[2].is_in[jw];
        t.factor[k] = g[0].weight[jd] * g[1].weight[jh] * g[2].weight[jw];
        all &= t.is_in[k];
      }
    }
  }
  t.is_whole = !tenon_vi_any(~all);
  return t;
}

TENON_FLAT tenon_vf tenon_grid_add(const tenon_grid_taps *t, int k, tenon_vf x,
                                   tenon_vf sum) {
  const tenon_vf next = tenon_vf_fma(t->factor[k], x, sum);
  return t->is_whole ? next : tenon_vf_pick(t->is_in[k], next, sum);
}

// n points, to places of their own in each channel.
TENON_FLAT void tenon_grid_points(const tenon_call *c, const tenon_grid_taps *t,
                                  const float *from, float *to, ptrdiff_t n) {
  const tenon_grid_sample_attrs *a = (const tenon_grid_sample_attrs *)c->attrs;
  const int32_t *x = c->in[0].dims, *y = c->out[0].dims;
  const ptrdiff_t size = (ptrdiff_t)x[2] * x[3] * x[4];
  const ptrdiff_t out = (ptrdiff_t)y[2] * y[3] * y[4];
  for (ptrdiff_t k = 0; k < x[1]; ++k, from += size, to += out) {
    tenon_vf sum = {0};
    for (int j = 0; j < t->n; ++j) {
      if (a->mode == 1) {
        float lanes[TENON_VL];
        for (int i = 0; i < TENON_VL; ++i)
          lanes[i] = from[t->place[j][i]];
        sum = tenon_grid_add(t, 2 * j, tenon_vf_load(lanes), sum);
      } else {
        tenon_vf one, behind;
        tenon_grid_pairs(from, t->place[j], &one, &behind);
        sum = tenon_grid_add(t, 2 * j, one, sum);
        sum = tenon_grid_add(t, 2 * j + 1, behind, sum);
      }
    }
    tenon_vf_store_part(to, sum, n);
  }
}

TENON_FLAT tenon_status tenon_grid_f32_run(const tenon_call *c, int64_t begin,
                                           int64_t end) {
  const tenon_grid_sample_attrs *a = (const tenon_grid_sample_attrs *)c->attrs;
  const int32_t *x = c->in[0].dims, *y = c->out[0].dims;
  const int64_t size = (int64_t)x[2] * x[3] * x[4];
  const ptrdiff_t out = (ptrdiff_t)y[2] * y[3] * y[4];
  if (a->mode == 2 || a->padding == 2 || size >= 1 << 24 || x[4] < 2)
    return tenon_grid_sample_f32_run(c, begin, end);
  ptrdiff_t n;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; i += n) {
    const ptrdiff_t image = i / out, place = i % out;
    n = out - place < TENON_VL ? out - place : TENON_VL;
    if (n > (ptrdiff_t)end - i) n = (ptrdiff_t)end - i;
    const tenon_grid_taps taps = tenon_grid_taps_of(
        c, (const float *)c->in[1].data + i * c->in[1].dims[4], n);
    tenon_grid_points(c, &taps,
                      (const float *)c->in[0].data + image * x[1] * size,
                      (float *)c->out[0].data + image * y[1] * out + place, n);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_GRID_F32_OPT_H
