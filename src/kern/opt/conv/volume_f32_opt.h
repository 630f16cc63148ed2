// kern/opt/conv/volume_f32_opt.h - convolutions of volumes in floats, and
// transposed ones, straight from the volume.
//
// Outputs of a row that are a stride apart read the same taps of a transposed
// convolution, each one element behind what the one before reads; so both are
// rows of products by a tile (kern/opt/tiles/tile_f32.h) that lie as far apart
// in the result as in what is read. Taps outside are skipped, as the reference
// kernel does, so a row has some outputs with fewer taps at its ends. A tile
// walks two dimensions of taps; of three, sums go through a buffer.
#ifndef TENON_KERN_OPT_VOLUME_F32_OPT_H
#define TENON_KERN_OPT_VOLUME_F32_OPT_H

#include "kern/opt/conv/volume_lines.h"
#include "kern/opt/tiles/tile_f32.h"

typedef struct tenon_volume_f32 {
  tenon_volume v;
  tenon_gemm_f32 gemm;
  const float *x;
  float *y;
} tenon_volume_f32;

// A dimension of taps: how far apart they are in what is read and in weights.
typedef struct tenon_volume_walk {
  ptrdiff_t count, read, weights;
} tenon_volume_walk;

enum { TENON_VOLUME_ROWS_MOST = TENON_TILE_PIXELS };

// m outputs whose taps are `d`, outermost first, each `len` values side by
// side: sums in a buffer, as dimensions are too many for a tile.
static void tenon_volume_f32_deep(const tenon_gemm_f32 *g,
                                  const tenon_volume_walk *d, ptrdiff_t len,
                                  ptrdiff_t m, const float *a, ptrdiff_t lda,
                                  float *c, ptrdiff_t ldc) {
  float sums[TENON_VOLUME_ROWS_MOST * TENON_GROUP], none[TENON_GROUP];
  const tenon_walk w = {.ny = d[1].count,
                        .nx = d[2].count,
                        .len = len,
                        .a_y = d[1].read,
                        .a_x = d[2].read,
                        .b_y = d[1].weights,
                        .b_x = d[2].weights};
  for (ptrdiff_t k = 0; k < TENON_GROUP; ++k)
    none[k] = -0.0f;
  for (ptrdiff_t oc = 0; oc < g->n; oc += TENON_GROUP) {
    const ptrdiff_t n = g->n - oc < TENON_GROUP ? g->n - oc : TENON_GROUP;
    tenon_gemm_f32 own = *g;
    own.bias = none;
    own.n = tenon_round_up(n, TENON_LANES);
    for (ptrdiff_t i = 0, rows; i < m; i += rows) {
      rows = m - i < TENON_VOLUME_ROWS_MOST ? m - i : TENON_VOLUME_ROWS_MOST;
      own.goes_on = false;
      for (ptrdiff_t z = 0; z < d[0].count; ++z, own.goes_on = true) {
        own.weights =
            g->weights + oc / TENON_LANES * g->panel + z * d[0].weights;
        tenon_gemm_f32_tiles(&own, &w, 0, own.n / TENON_VL, rows,
                             a + i * lda + z * d[0].read, lda, sums,
                             TENON_GROUP);
      }
      for (ptrdiff_t r = 0; r < rows; ++r)
        for (ptrdiff_t k = 0; k < n; ++k)
          c[(i + r) * ldc + oc + k] =
              sums[r * TENON_GROUP + k] + g->bias[oc + k];
    }
  }
}

// m outputs from output `ox` of a row on, as far apart as `tx` says, whose taps
// are those.
static void tenon_volume_f32_run_of(const tenon_volume_f32 *s,
                                    const tenon_volume_line *tz,
                                    const tenon_volume_line *ty,
                                    const tenon_volume_line *tx, ptrdiff_t ox,
                                    ptrdiff_t m) {
  const tenon_volume *v = &s->v;
  const ptrdiff_t depth = v->depth, tap = depth * TENON_LANES;
  const bool is_any = tz->count > 0 && ty->count > 0 && tx->count > 0;
  const bool is_dense = tx->step == 1 && tx->next == 1 && depth == v->c;
  const tenon_volume_walk along[3] = {
      {tz->count, tz->step * v->h * v->w * v->c,
       tz->next * v->kh * v->kw * tap},
      {ty->count, ty->step * v->w * v->c, ty->next * v->kw * tap},
      {tx->count, tx->step * v->c, tx->next * tap}};
  tenon_volume_walk d[3] = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}};
  const ptrdiff_t len = is_dense ? tx->count * depth : depth;
  tenon_gemm_f32 g = s->gemm;
  const float *a = s->x;
  float *c = s->y + ox * v->out_c;
  const ptrdiff_t lda = tx->ahead * v->c, ldc = tx->apart * v->out_c;
  int32_t n = 3;
  for (int32_t i = is_dense ? 1 : 2; i >= 0 && is_any; --i)
    if (along[i].count > 1) d[--n] = along[i];
  if (is_any) {
    a += tenon_volume_at(v, tz->at, ty->at, tx->at);
    g.weights += ((tz->first * v->kh + ty->first) * v->kw + tx->first) * tap;
  } else {
    d[1].count = 0;
  }
  if (n == 0) {
    tenon_volume_f32_deep(&g, d, len, m, a, lda, c, ldc);
    return;
  }
  const tenon_walk w = {.ny = d[1].count,
                        .nx = d[2].count,
                        .len = len,
                        .a_y = d[1].read,
                        .a_x = d[2].read,
                        .b_y = d[1].weights,
                        .b_x = d[2].weights};
  tenon_gemm_f32_rows(&g, &w, 0, (g.n + TENON_VL - 1) / TENON_VL, m, a, lda, c,
                      ldc);
}

// A row of outputs of a group of channels.
static void tenon_volume_f32_row(const tenon_call *c, const bool is_transposed,
                                 const tenon_volume_f32 *s) {
  const tenon_volume *v = &s->v;
  const tenon_volume_line tz = tenon_volume_line_within(
      tenon_volume_line_of(c, is_transposed, 0, v->z), 0, v->d);
  const tenon_volume_line ty = tenon_volume_line_within(
      tenon_volume_line_of(c, is_transposed, 1, v->y), 0, v->h);
  ptrdiff_t apart = 1;
  for (ptrdiff_t first = 0; first < apart && first < v->out_w; ++first) {
    const tenon_volume_line line =
        tenon_volume_line_of(c, is_transposed, 2, first);
    apart = line.apart;
    const ptrdiff_t count = (v->out_w - first + apart - 1) / apart;
    for (ptrdiff_t j = 0, m; j < count; j += m) {
      const tenon_volume_line tx = tenon_volume_line_within(line, j, v->w);
      for (m = 1; j + m < count; ++m) {
        const tenon_volume_line more =
            tenon_volume_line_within(line, j + m, v->w);
        if (more.count != tx.count || (tx.count && more.first != tx.first))
          break;
      }
      tenon_volume_f32_run_of(s, &tz, &ty, &tx, first + j * apart, m);
    }
  }
}

TENON_FLAT tenon_status tenon_volume_f32_run(const tenon_call *c, int64_t begin,
                                             int64_t end,
                                             const bool is_transposed) {
  const ptrdiff_t groups =
      (ptrdiff_t)((const tenon_conv3d_attrs *)c->attrs)->groups;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    tenon_volume_f32 s;
    s.v = tenon_volume_of(c, row);
    const tenon_volume *v = &s.v;
    const ptrdiff_t k = v->kd * v->kh * v->kw * v->depth;
    const ptrdiff_t own = tenon_round_up(v->group, TENON_LANES) * (1 + k);
    s.gemm = tenon_gemm_f32_of(c->packed, k, v->group);
    s.x = (const float *)c->in[0].data;
    s.y = (float *)c->out[0].data + row * v->out_w * v->out_c;
    for (ptrdiff_t i = 0; i < groups; ++i) {
      tenon_volume_f32_row(c, is_transposed, &s);
      s.gemm.bias += own;
      s.gemm.weights += own;
      s.x += v->depth;
      s.y += v->group;
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_VOLUME_F32_OPT_H
