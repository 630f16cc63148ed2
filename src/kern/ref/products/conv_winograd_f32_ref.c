// conv_winograd_f32_ref.c - convolutions of 3 by 3 taps in floats, tile by
// tile, in the order of kern/product/winograd.h. An item is a row of tiles.
#include "kern/product/winograd.h"

#include <math.h>

#include "kern/op/clamp.h"
#include "kern/product/conv.h"

// B' of the inputs of a line of a tile, values `step` apart.
static void conv_winograd_f32_ref_spread(ptrdiff_t tile, const float *d,
                                         ptrdiff_t step, float *to,
                                         ptrdiff_t apart) {
  const float d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step];
  if (tile == 2) {
    to[0] = d0 - d2;
    to[apart] = d1 + d2;
    to[2 * apart] = d2 - d1;
    to[3 * apart] = d1 - d3;
  } else {
    const float d4 = d[4 * step], d5 = d[5 * step];
    const float even_a = fmaf(-TENON_WINOGRAD_B2, d2, d4);
    const float odd_a = fmaf(-TENON_WINOGRAD_B2, d1, d3);
    const float even_b = fmaf(-TENON_WINOGRAD_A2, d2, d4);
    const float odd_b = fmaf(-TENON_WINOGRAD_A2, d1, d3);
    to[0] =
        fmaf(TENON_WINOGRAD_PRODUCT2, d0, fmaf(-TENON_WINOGRAD_SUM2, d2, d4));
    to[apart] = fmaf(TENON_WINOGRAD_A1, odd_a, even_a);
    to[2 * apart] = fmaf(-TENON_WINOGRAD_A1, odd_a, even_a);
    to[3 * apart] = fmaf(TENON_WINOGRAD_B1, odd_b, even_b);
    to[4 * apart] = fmaf(-TENON_WINOGRAD_B1, odd_b, even_b);
    to[5 * apart] =
        fmaf(TENON_WINOGRAD_PRODUCT2, d1, fmaf(-TENON_WINOGRAD_SUM2, d3, d5));
  }
}

// A' of a line of sums, values `step` apart.
static void conv_winograd_f32_ref_gather(ptrdiff_t tile, const float *m,
                                         ptrdiff_t step, float *to,
                                         ptrdiff_t apart) {
  const float m0 = m[0], m1 = m[step], m2 = m[2 * step], m3 = m[3 * step];
  if (tile == 2) {
    to[0] = m0 + m1 + m2;
    to[apart] = m1 - m2 - m3;
  } else {
    const float m4 = m[4 * step], m5 = m[5 * step];
    const float sum_a = m1 + m2, odd_a = m1 - m2;
    const float sum_b = m3 + m4, odd_b = m3 - m4;
    to[0] = m0 + sum_a + sum_b;
    to[apart] = fmaf(TENON_WINOGRAD_B1, odd_b, TENON_WINOGRAD_A1 * odd_a);
    to[2 * apart] = fmaf(TENON_WINOGRAD_B2, sum_b, TENON_WINOGRAD_A2 * sum_a);
    to[3 * apart] =
        fmaf(TENON_WINOGRAD_B3, odd_b, fmaf(TENON_WINOGRAD_A3, odd_a, m5));
  }
}

// One channel of a tile: B' d B.
static void conv_winograd_f32_ref_tile(const tenon_winograd *g,
                                       const float *image, ptrdiff_t y0,
                                       ptrdiff_t x0, float *to) {
  float d[TENON_WINOGRAD_SUMS], rows[TENON_WINOGRAD_SUMS];
  const ptrdiff_t n = g->in;
  for (ptrdiff_t k = 0; k < g->sums; ++k) {
    const ptrdiff_t y = y0 + k / n, x = x0 + k % n;
    const bool is_in = y >= 0 && y < g->h && x >= 0 && x < g->w;
    d[k] = is_in ? image[(y * g->w + x) * g->c] : 0.0f;
  }
  for (ptrdiff_t j = 0; j < n; ++j)
    conv_winograd_f32_ref_spread(g->tile, d + j, n, rows + j, n);
  for (ptrdiff_t i = 0; i < n; ++i)
    conv_winograd_f32_ref_spread(g->tile, rows + n * i, 1, to + n * i * g->c,
                                 g->c);
}

// A'm A of the sums of one output channel.
static void conv_winograd_f32_ref_sums(const tenon_winograd *g, const float *in,
                                       const float *u, float *y) {
  float m[TENON_WINOGRAD_SUMS], rows[TENON_WINOGRAD_SUMS];
  const ptrdiff_t n = g->in;
  for (ptrdiff_t k = 0; k < g->sums; ++k) {
    m[k] = 0.0f;
    for (ptrdiff_t i = 0; i < g->c; ++i)
      m[k] = fmaf(in[k * g->c + i], u[k * g->c + i], m[k]);
  }
  for (ptrdiff_t j = 0; j < n; ++j)
    conv_winograd_f32_ref_gather(g->tile, m + j, n, rows + j, n);
  for (ptrdiff_t i = 0; i < g->tile; ++i)
    conv_winograd_f32_ref_gather(g->tile, rows + n * i, 1, y + g->tile * i, 1);
}

// Outputs of one channel of a row of tiles, whose inputs are there.
static void conv_winograd_f32_ref_row(const tenon_winograd *g, const float *in,
                                      const float *u,
                                      const tenon_conv_tail *tail,
                                      tenon_limits_f32 m, ptrdiff_t oy,
                                      ptrdiff_t oc, float *y) {
  float sums[TENON_WINOGRAD_SUMS];
  for (ptrdiff_t ox = 0; ox < g->out_w; ox += g->tile) {
    conv_winograd_f32_ref_sums(g, in, u, sums);
    in += g->sums * g->c;
    for (ptrdiff_t i = 0; i < g->tile && oy + i < g->out_h; ++i)
      for (ptrdiff_t j = 0; j < g->tile && ox + j < g->out_w; ++j)
        y[((oy + i) * g->out_w + ox + j) * g->out_c + oc] = tenon_limit_f32(
            tenon_conv_finish_f32(tail, sums[g->tile * i + j], oc), m);
  }
}

TENON_KERNEL_RANGE(tenon_k_conv_winograd_f32_ref) {
  const tenon_conv_winograd_attrs *a =
      (const tenon_conv_winograd_attrs *)c->attrs;
  const tenon_limits_f32 m = tenon_limits_f32_of(a->lo, a->hi);
  const tenon_winograd g = tenon_winograd_of(c);
  const tenon_conv_tail tail = tenon_conv_tail_of(c);
  const ptrdiff_t tile = g.sums * g.c;
  float *u = (float *)c->scratch, *in = u + tile;
  for (ptrdiff_t item = (ptrdiff_t)begin; item < (ptrdiff_t)end; ++item) {
    const ptrdiff_t image = item / g.down, oy = item % g.down * g.tile;
    const float *x = (const float *)c->in[0].data + image * g.h * g.w * g.c;
    float *y = (float *)c->out[0].data + image * g.out_h * g.out_w * g.out_c;
    for (ptrdiff_t i = 0; i < g.right; ++i)
      for (ptrdiff_t k = 0; k < g.c; ++k)
        conv_winograd_f32_ref_tile(&g, x + k, oy - g.top, g.tile * i - g.left,
                                   in + i * tile + k);
    for (ptrdiff_t oc = 0; oc < g.out_c; ++oc) {
      const float *w = (const float *)c->in[1].data + oc * 9 * g.c;
      for (ptrdiff_t k = 0; k < g.c; ++k)
        tenon_winograd_weights(g.tile, w + k, g.c, u + k, g.c);
      conv_winograd_f32_ref_row(&g, in, u, &tail, m, oy, oc, y);
    }
  }
  return TENON_OK;
}
