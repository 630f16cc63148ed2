// kern/opt/conv/conv_winograd_f32_opt.h - core::conv_winograd on floats.
//
// Some tiles at a time: their inputs are combined into scratch, a plane for
// each of the products of a channel; each plane times its weights is a product
// of matrices (tile_f32.h), a group of output channels at a time; then the sums
// of each tile are combined and stored. So many tiles that their weights, read
// once for them all, come from the third-level cache in time, and so few that
// both planes stay in the second.
#ifndef TENON_KERN_OPT_CONV_WINOGRAD_F32_OPT_H
#define TENON_KERN_OPT_CONV_WINOGRAD_F32_OPT_H

#include "kern/opt/conv/winograd_blocks.h"
#include "kern/opt/tiles/tile_f32.h"

// Both combine a line of values, as kern/product/winograd.h says; `tile` is a
// constant after inlining.
TENON_FLAT void tenon_winograd_spread(const int tile, const tenon_vf *d,
                                      const int step, tenon_vf *to,
                                      const int apart) {
  if (tile == 2) {
    to[0] = d[0] - d[2 * step];
    to[apart] = d[step] + d[2 * step];
    to[2 * apart] = d[2 * step] - d[step];
    to[3 * apart] = d[step] - d[3 * step];
  } else {
    const tenon_vf a = tenon_vf_splat(TENON_WINOGRAD_A1), b = a + a;
    const tenon_vf a2 = tenon_vf_splat(-TENON_WINOGRAD_A2), b2 = 4.0f * a2;
    const tenon_vf sum2 = tenon_vf_splat(-TENON_WINOGRAD_SUM2);
    const tenon_vf product2 = tenon_vf_splat(TENON_WINOGRAD_PRODUCT2);
    const tenon_vf even_a = tenon_vf_fma(b2, d[2 * step], d[4 * step]);
    const tenon_vf odd_a = tenon_vf_fma(b2, d[step], d[3 * step]);
    const tenon_vf even_b = tenon_vf_fma(a2, d[2 * step], d[4 * step]);
    const tenon_vf odd_b = tenon_vf_fma(a2, d[step], d[3 * step]);
    to[0] = tenon_vf_fma(product2, d[0],
                         tenon_vf_fma(sum2, d[2 * step], d[4 * step]));
    to[apart] = tenon_vf_fma(a, odd_a, even_a);
    to[2 * apart] = tenon_vf_fma(-a, odd_a, even_a);
    to[3 * apart] = tenon_vf_fma(b, odd_b, even_b);
    to[4 * apart] = tenon_vf_fma(-b, odd_b, even_b);
    to[5 * apart] = tenon_vf_fma(product2, d[step],
                                 tenon_vf_fma(sum2, d[3 * step], d[5 * step]));
  }
}
TENON_FLAT void tenon_winograd_gather(const int tile, const tenon_vf *m,
                                      const int step, tenon_vf *to,
                                      const int apart) {
  if (tile == 2) {
    to[0] = m[0] + m[step] + m[2 * step];
    to[apart] = m[step] - m[2 * step] - m[3 * step];
  } else {
    const tenon_vf sum_a = m[step] + m[2 * step];
    const tenon_vf odd_a = m[step] - m[2 * step];
    const tenon_vf sum_b = m[3 * step] + m[4 * step];
    const tenon_vf odd_b = m[3 * step] - m[4 * step];
    to[0] = m[0] + sum_a + sum_b;
    to[apart] = tenon_vf_fma(tenon_vf_splat(TENON_WINOGRAD_B1), odd_b,
                             tenon_vf_splat(TENON_WINOGRAD_A1) * odd_a);
    to[2 * apart] = tenon_vf_fma(tenon_vf_splat(TENON_WINOGRAD_B2), sum_b,
                                 tenon_vf_splat(TENON_WINOGRAD_A2) * sum_a);
    to[3 * apart] = tenon_vf_fma(
        tenon_vf_splat(TENON_WINOGRAD_B3), odd_b,
        tenon_vf_fma(tenon_vf_splat(TENON_WINOGRAD_A3), odd_a, m[5 * step]));
  }
}

// All channels of a tile whose inputs begin at `from`. What is left of a
// register are the last ones, some of them once more.
TENON_FLAT void tenon_winograd_tile(const int tile, const float *const *from,
                                    ptrdiff_t c, float *to, ptrdiff_t plane) {
  const int n = tile + 2;
  for (ptrdiff_t next = 0; next < c; next += TENON_VL) {
    const ptrdiff_t i = next + TENON_VL <= c ? next : c - TENON_VL;
    tenon_vf rows[TENON_WINOGRAD_SUMS];
    TENON_UNROLL
    for (int x = 0; x < n; ++x) {
      tenon_vf d[TENON_WINOGRAD_IN];
      TENON_UNROLL
      for (int y = 0; y < n; ++y)
        d[y] = tenon_vf_load(from[n * y + x] + i);
      tenon_winograd_spread(tile, d, 1, rows + x, n);
    }
    TENON_UNROLL
    for (int y = 0; y < n; ++y) {
      tenon_vf all[TENON_WINOGRAD_IN];
      tenon_winograd_spread(tile, rows + n * y, 1, all, 1);
      TENON_UNROLL
      for (int x = 0; x < n; ++x)
        tenon_vf_store(to + (n * y + x) * plane + i, all[x]);
    }
  }
}
TENON_APART void tenon_winograd_tile_2(const float *const *from, ptrdiff_t c,
                                       float *to, ptrdiff_t plane) {
  tenon_winograd_tile(2, from, c, to, plane);
}
TENON_APART void tenon_winograd_tile_4(const float *const *from, ptrdiff_t c,
                                       float *to, ptrdiff_t plane) {
  tenon_winograd_tile(4, from, c, to, plane);
}

typedef struct tenon_winograd_work {
  tenon_winograd g;
  const float *x;  // the image
  float *y;
  const float *zeros;  // of a pixel
  float *in, *sums;    // planes
  ptrdiff_t in_plane, sums_plane, sums_width;
} tenon_winograd_work;

// Tiles [begin, end), counted along rows.
static void tenon_winograd_inputs(const tenon_winograd_work *s, ptrdiff_t begin,
                                  ptrdiff_t end) {
  const tenon_winograd *g = &s->g;
  float *to = s->in;
  for (ptrdiff_t tile = begin; tile < end; ++tile, to += g->c) {
    const ptrdiff_t y0 = tile / g->right * g->tile - g->top;
    const ptrdiff_t x0 = tile % g->right * g->tile - g->left;
    const float *from[TENON_WINOGRAD_SUMS];
    for (ptrdiff_t i = 0, k = 0; i < g->in; ++i)
      for (ptrdiff_t j = 0; j < g->in; ++j, ++k) {
        const ptrdiff_t y = y0 + i, x = x0 + j;
        const bool is_in = y >= 0 && y < g->h && x >= 0 && x < g->w;
        from[k] = is_in ? s->x + (y * g->w + x) * g->c : s->zeros;
      }
    if (g->tile == 2)
      tenon_winograd_tile_2(from, g->c, to, s->in_plane);
    else
      tenon_winograd_tile_4(from, g->c, to, s->in_plane);
  }
}

// A tile's outputs of `width` channels, from its sums.
TENON_FLAT void tenon_winograd_outputs(const int tile,
                                       const tenon_gemm_f32 *gemm,
                                       const float *sums, ptrdiff_t plane,
                                       ptrdiff_t width, float *const *to) {
  const tenon_vf lo = tenon_vf_splat(gemm->lo), hi = tenon_vf_splat(gemm->hi);
  const int n = tile + 2;
  for (ptrdiff_t i = 0; i < width; i += TENON_VL) {
    const float *at = gemm->bias + i;
    const tenon_vf last = tenon_vf_load(at + 2 * gemm->scale);
    tenon_vf rows[TENON_WINOGRAD_SUMS];
    TENON_UNROLL
    for (int x = 0; x < n; ++x) {
      tenon_vf m[TENON_WINOGRAD_IN];
      TENON_UNROLL
      for (int y = 0; y < n; ++y)
        m[y] = tenon_vf_load(sums + (n * y + x) * plane + i);
      tenon_winograd_gather(tile, m, 1, rows + x, n);
    }
    TENON_UNROLL
    for (int k = 0; k < tile; ++k) {
      tenon_vf y[TENON_WINOGRAD_IN];
      tenon_winograd_gather(tile, rows + n * k, 1, y, 1);
      if (gemm->scale) {
        const tenon_vf bias = tenon_vf_load(at);
        const tenon_vf scale = tenon_vf_load(at + gemm->scale);
        TENON_UNROLL
        for (int x = 0; x < tile; ++x)
          y[x] = (y[x] + bias) * scale;
      }
      TENON_UNROLL
      for (int x = 0; x < tile; ++x)
        if (to[tile * k + x])
          tenon_vf_store_part(to[tile * k + x] + i,
                              tenon_vf_clamp(y[x] + last, lo, hi), width - i);
    }
  }
}
TENON_APART void tenon_winograd_outputs_2(const tenon_gemm_f32 *gemm,
                                          const float *sums, ptrdiff_t plane,
                                          ptrdiff_t width, float *const *to) {
  tenon_winograd_outputs(2, gemm, sums, plane, width, to);
}
TENON_APART void tenon_winograd_outputs_4(const tenon_gemm_f32 *gemm,
                                          const float *sums, ptrdiff_t plane,
                                          ptrdiff_t width, float *const *to) {
  tenon_winograd_outputs(4, gemm, sums, plane, width, to);
}

// One group of output channels of tiles [begin, end), whose inputs are there.
static void tenon_winograd_group(const tenon_winograd_work *s,
                                 const void *packed, ptrdiff_t group,
                                 ptrdiff_t begin, ptrdiff_t end) {
  const tenon_winograd *g = &s->g;
  const ptrdiff_t from = group * TENON_GROUP;
  const ptrdiff_t width =
      g->out_c - from < TENON_GROUP ? g->out_c - from : TENON_GROUP;
  const tenon_walk walk = {.ny = 1, .nx = 1, .len = g->c};
  tenon_gemm_f32 own = tenon_gemm_f32_of(packed, g->sums * g->c, g->out_c);
  tenon_gemm_f32 plain = own;
  float none[TENON_GROUP];  // what leaves every sum as it is
  for (ptrdiff_t i = 0; i < TENON_GROUP; ++i)
    none[i] = -0.0f;
  own.bias += from;
  plain.bias = none;
  plain.scale = 0;
  plain.lo = -INFINITY;
  plain.hi = INFINITY;
  plain.is_limited = false;
  plain.n = width;
  plain.weights += from / TENON_LANES * plain.panel;
  for (ptrdiff_t k = 0; k < g->sums; ++k) {
    plain.next = plain.weights + g->c * TENON_LANES;
    if (k + 1 == g->sums)  // those of the next group
      plain.next += (TENON_GROUP / TENON_LANES - 1) * plain.panel;
    tenon_gemm_f32_rows(&plain, &walk, 0, (width + TENON_VL - 1) / TENON_VL,
                        end - begin, s->in + k * s->in_plane, g->c,
                        s->sums + k * s->sums_plane, s->sums_width);
    plain.weights += g->c * TENON_LANES;
  }
  for (ptrdiff_t tile = begin; tile < end; ++tile) {
    const ptrdiff_t oy = tile / g->right * g->tile;
    const ptrdiff_t ox = tile % g->right * g->tile;
    float *y = s->y + (oy * g->out_w + ox) * g->out_c + from;
    float *to[TENON_WINOGRAD_SUMS];
    for (ptrdiff_t i = 0; i < g->tile; ++i)
      for (ptrdiff_t j = 0; j < g->tile; ++j)
        to[g->tile * i + j] = oy + i < g->out_h && ox + j < g->out_w
                                  ? y + (i * g->out_w + j) * g->out_c
                                  : NULL;
    const float *sums = s->sums + (tile - begin) * s->sums_width;
    if (g->tile == 2)
      tenon_winograd_outputs_2(&own, sums, s->sums_plane, width, to);
    else
      tenon_winograd_outputs_4(&own, sums, s->sums_plane, width, to);
  }
}

TENON_INLINE tenon_status tenon_conv_winograd_f32_run(const tenon_call *c,
                                                      int64_t begin,
                                                      int64_t end) {
  tenon_winograd_work s;
  s.g = tenon_winograd_of(c);
  const tenon_winograd *g = &s.g;
  const tenon_winograd_planes p = tenon_winograd_planes_of(g);
  const tenon_blocks blocks = tenon_winograd_blocks(g, c->in[0].dims[0]);
  float *zeros = (float *)c->scratch;
  memset(zeros, 0, (size_t)g->c * sizeof *zeros);
  s.zeros = zeros;
  s.in = zeros + g->c;
  s.in_plane = p.in;
  s.sums = s.in + g->sums * p.in;
  s.sums_plane = p.sums;
  s.sums_width = tenon_winograd_width(g);
  while (begin < end) {
    tenon_work work;
    begin = tenon_blocks_work(&blocks, begin, end, &work);
    s.x = (const float *)c->in[0].data + work.image * g->h * g->w * g->c;
    s.y = (float *)c->out[0].data + work.image * g->out_h * g->out_w * g->out_c;
    const ptrdiff_t last = (work.end + g->tile - 1) / g->tile * g->right;
    for (ptrdiff_t i = work.begin / g->tile * g->right, some; i < last;
         i += some) {
      some = tenon_winograd_some(g, last - i);
      tenon_winograd_inputs(&s, i, i + some);
      for (ptrdiff_t k = work.group; k < work.group_end; ++k)
        tenon_winograd_group(&s, c->packed, k, i, i + some);
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_CONV_WINOGRAD_F32_OPT_H
