// kern/opt/conv/conv_winograd_f32_opt.h - core::conv_winograd on floats.
//
// Some tiles at a time: their inputs are combined into scratch, a plane for
// each of the 16 products; each plane times its weights is a product of
// matrices (tile_f32.h), a group of output channels at a time; then the 16 sums
// of each tile are combined and stored. So many tiles that their weights, read
// once for them all, come from the third-level cache in time, and so few that
// both planes stay in the second.
#ifndef TENON_KERN_OPT_CONV_WINOGRAD_F32_OPT_H
#define TENON_KERN_OPT_CONV_WINOGRAD_F32_OPT_H

#include "kern/opt/conv/winograd_blocks.h"
#include "kern/opt/tiles/tile_f32.h"

// Both combine four values, as kern/product/winograd.h says.
TENON_FLAT void tenon_winograd_spread(const tenon_vf *d, const int step,
                                      tenon_vf *to, const int apart) {
  to[0] = d[0] - d[2 * step];
  to[apart] = d[step] + d[2 * step];
  to[2 * apart] = d[2 * step] - d[step];
  to[3 * apart] = d[step] - d[3 * step];
}
TENON_FLAT void tenon_winograd_gather(const tenon_vf *m, const int step,
                                      tenon_vf *to, const int apart) {
  to[0] = m[0] + m[step] + m[2 * step];
  to[apart] = m[step] - m[2 * step] - m[3 * step];
}

// All channels of a tile whose 16 inputs begin at `from`.
TENON_APART void tenon_winograd_tile(const float *const *from, ptrdiff_t c,
                                     float *to, ptrdiff_t plane) {
  for (ptrdiff_t i = 0; i < c; i += TENON_VL) {
    tenon_vf d[16], rows[16], all[16];
    TENON_UNROLL
    for (int k = 0; k < 16; ++k)
      d[k] = tenon_vf_load(from[k] + i);
    TENON_UNROLL
    for (int x = 0; x < 4; ++x)
      tenon_winograd_spread(d + x, 4, rows + x, 4);
    TENON_UNROLL
    for (int y = 0; y < 4; ++y)
      tenon_winograd_spread(rows + 4 * y, 1, all + 4 * y, 1);
    TENON_UNROLL
    for (int k = 0; k < 16; ++k)
      tenon_vf_store(to + k * plane + i, all[k]);
  }
}

typedef struct tenon_winograd_work {
  tenon_winograd g;
  const float *x;  // the image
  float *y;
  const float *zeros;  // of a pixel
  float *in, *sums;    // planes
  ptrdiff_t in_plane, sums_plane;
} tenon_winograd_work;

// Tiles [begin, end), counted along rows.
static void tenon_winograd_inputs(const tenon_winograd_work *s, ptrdiff_t begin,
                                  ptrdiff_t end) {
  const tenon_winograd *g = &s->g;
  float *to = s->in;
  for (ptrdiff_t tile = begin; tile < end; ++tile, to += g->c) {
    const ptrdiff_t y0 = tile / g->right * 2 - g->top;
    const ptrdiff_t x0 = tile % g->right * 2 - g->left;
    const float *from[16];
    for (ptrdiff_t k = 0; k < 16; ++k) {
      const ptrdiff_t y = y0 + k / 4, x = x0 + k % 4;
      const bool is_in = y >= 0 && y < g->h && x >= 0 && x < g->w;
      from[k] = is_in ? s->x + (y * g->w + x) * g->c : s->zeros;
    }
    tenon_winograd_tile(from, g->c, to, s->in_plane);
  }
}

// A tile's outputs of `width` channels, from its sums.
TENON_APART void tenon_winograd_outputs(const tenon_gemm_f32 *gemm,
                                        const float *sums, ptrdiff_t plane,
                                        ptrdiff_t width, float *const *to) {
  const tenon_vf lo = tenon_vf_splat(gemm->lo), hi = tenon_vf_splat(gemm->hi);
  for (ptrdiff_t i = 0; i < width; i += TENON_VL) {
    const float *at = gemm->bias + i;
    tenon_vf m[16], rows[8], y[4];
    TENON_UNROLL
    for (int k = 0; k < 16; ++k)
      m[k] = tenon_vf_load(sums + k * plane + i);
    TENON_UNROLL
    for (int x = 0; x < 4; ++x)
      tenon_winograd_gather(m + x, 4, rows + x, 4);
    TENON_UNROLL
    for (int k = 0; k < 2; ++k)
      tenon_winograd_gather(rows + 4 * k, 1, y + 2 * k, 1);
    if (gemm->scale) {
      const tenon_vf bias = tenon_vf_load(at);
      const tenon_vf scale = tenon_vf_load(at + gemm->scale);
      TENON_UNROLL
      for (int k = 0; k < 4; ++k)
        y[k] = (y[k] + bias) * scale;
    }
    const tenon_vf last = tenon_vf_load(at + 2 * gemm->scale);
    TENON_UNROLL
    for (int k = 0; k < 4; ++k)
      if (to[k]) tenon_vf_store(to[k] + i, tenon_vf_clamp(y[k] + last, lo, hi));
  }
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
  tenon_gemm_f32 own =
      tenon_gemm_f32_of(packed, TENON_WINOGRAD_SUMS * g->c, g->out_c);
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
  for (ptrdiff_t k = 0; k < TENON_WINOGRAD_SUMS; ++k) {
    tenon_gemm_f32_rows(&plain, &walk, 0, width / TENON_VL, end - begin,
                        s->in + k * s->in_plane, g->c,
                        s->sums + k * s->sums_plane, TENON_GROUP);
    plain.weights += g->c * TENON_LANES;
  }
  for (ptrdiff_t tile = begin; tile < end; ++tile) {
    const ptrdiff_t oy = tile / g->right * 2, ox = tile % g->right * 2;
    float *y = s->y + (oy * g->out_w + ox) * g->out_c + from, *to[4];
    const bool has_right = ox + 1 < g->out_w, has_below = oy + 1 < g->out_h;
    to[0] = y;
    to[1] = has_right ? y + g->out_c : NULL;
    to[2] = has_below ? y + g->out_w * g->out_c : NULL;
    to[3] = has_right && has_below ? y + (g->out_w + 1) * g->out_c : NULL;
    tenon_winograd_outputs(&own, s->sums + (tile - begin) * TENON_GROUP,
                           s->sums_plane, width, to);
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
  s.sums = s.in + TENON_WINOGRAD_SUMS * p.in;
  s.sums_plane = p.sums;
  while (begin < end) {
    tenon_work work;
    begin = tenon_blocks_work(&blocks, begin, end, &work);
    s.x = (const float *)c->in[0].data + work.image * g->h * g->w * g->c;
    s.y = (float *)c->out[0].data + work.image * g->out_h * g->out_w * g->out_c;
    const ptrdiff_t last = (work.end + 1) / 2 * g->right;
    for (ptrdiff_t i = work.begin / 2 * g->right, some; i < last; i += some) {
      some = tenon_winograd_some(last - i);
      tenon_winograd_inputs(&s, i, i + some);
      for (ptrdiff_t k = work.group; k < work.group_end; ++k)
        tenon_winograd_group(&s, c->packed, k, i, i + some);
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_CONV_WINOGRAD_F32_OPT_H
