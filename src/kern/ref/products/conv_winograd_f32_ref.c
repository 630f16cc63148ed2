// conv_winograd_f32_ref.c - convolutions of 3 by 3 taps in floats, tile by
// tile, in the order of kern/product/winograd.h. An item is a row of tiles.
#include "kern/product/winograd.h"

#include <math.h>

#include "kern/op/clamp.h"
#include "kern/product/conv.h"

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
    tenon_winograd_spread1(g->tile, d + j, n, rows + j, n);
  for (ptrdiff_t i = 0; i < n; ++i)
    tenon_winograd_spread1(g->tile, rows + n * i, 1, to + n * i * g->c, g->c);
}

// A'm A of the sums of one output channel.
static void conv_winograd_f32_ref_sums(const tenon_winograd *g, const float *in,
                                       const float *u, float *y) {
  float m[TENON_WINOGRAD_SUMS], rows[TENON_WINOGRAD_SUMS];
  const ptrdiff_t n = g->in;
  for (ptrdiff_t k = 0; k < g->sums; ++k) {
    float sum = 0.0f;
    for (ptrdiff_t i = 0; i < g->c; ++i)
      sum = fmaf(*in++, *u++, sum);
    m[k] = sum;
  }
  for (ptrdiff_t j = 0; j < n; ++j)
    tenon_winograd_gather1(g->tile, m + j, n, rows + j, n);
  for (ptrdiff_t i = 0; i < g->tile; ++i)
    tenon_winograd_gather1(g->tile, rows + n * i, 1, y + g->tile * i, 1);
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
