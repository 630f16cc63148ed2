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
  float rows[4][4];
  for (ptrdiff_t j = 0; j < 4; ++j) {
    float d[4];
    for (ptrdiff_t i = 0; i < 4; ++i) {
      const ptrdiff_t y = y0 + i, x = x0 + j;
      const bool is_in = y >= 0 && y < g->h && x >= 0 && x < g->w;
      d[i] = is_in ? image[(y * g->w + x) * g->c] : 0.0f;
    }
    rows[0][j] = d[0] - d[2];
    rows[1][j] = d[1] + d[2];
    rows[2][j] = d[2] - d[1];
    rows[3][j] = d[1] - d[3];
  }
  for (ptrdiff_t i = 0; i < 4; ++i) {
    to[(4 * i + 0) * g->c] = rows[i][0] - rows[i][2];
    to[(4 * i + 1) * g->c] = rows[i][1] + rows[i][2];
    to[(4 * i + 2) * g->c] = rows[i][2] - rows[i][1];
    to[(4 * i + 3) * g->c] = rows[i][1] - rows[i][3];
  }
}

// A'm A of the sums of one output channel.
static void conv_winograd_f32_ref_sums(const tenon_winograd *g, const float *in,
                                       const float *u, float y[2][2]) {
  float m[4][4], rows[2][4];
  for (ptrdiff_t k = 0; k < TENON_WINOGRAD_SUMS; ++k) {
    float sum = 0.0f;
    for (ptrdiff_t i = 0; i < g->c; ++i)
      sum = fmaf(in[k * g->c + i], u[k * g->c + i], sum);
    m[k / 4][k % 4] = sum;
  }
  for (ptrdiff_t j = 0; j < 4; ++j) {
    rows[0][j] = m[0][j] + m[1][j] + m[2][j];
    rows[1][j] = m[1][j] - m[2][j] - m[3][j];
  }
  for (ptrdiff_t i = 0; i < 2; ++i) {
    y[i][0] = rows[i][0] + rows[i][1] + rows[i][2];
    y[i][1] = rows[i][1] - rows[i][2] - rows[i][3];
  }
}

// Outputs of one channel of a row of tiles, whose inputs are there.
static void conv_winograd_f32_ref_row(const tenon_winograd *g, const float *in,
                                      const float *u,
                                      const tenon_conv_tail *tail,
                                      tenon_limits_f32 m, ptrdiff_t oy,
                                      ptrdiff_t oc, float *y) {
  float sums[2][2];
  for (ptrdiff_t ox = 0; ox < g->out_w; ox += 2) {
    conv_winograd_f32_ref_sums(g, in, u, sums);
    in += TENON_WINOGRAD_SUMS * g->c;
    for (ptrdiff_t i = 0; i < 2 && oy + i < g->out_h; ++i)
      for (ptrdiff_t j = 0; j < 2 && ox + j < g->out_w; ++j)
        y[((oy + i) * g->out_w + ox + j) * g->out_c + oc] =
            tenon_limit_f32(tenon_conv_finish_f32(tail, sums[i][j], oc), m);
  }
}

TENON_KERNEL_RANGE(tenon_k_conv_winograd_f32_ref) {
  const tenon_conv_winograd_attrs *a =
      (const tenon_conv_winograd_attrs *)c->attrs;
  const tenon_limits_f32 m = tenon_limits_f32_of(a->lo, a->hi);
  const tenon_winograd g = tenon_winograd_of(c);
  const tenon_conv_tail tail = tenon_conv_tail_of(c);
  const ptrdiff_t tile = TENON_WINOGRAD_SUMS * g.c;
  float *u = (float *)c->scratch, *in = u + tile;
  for (ptrdiff_t item = (ptrdiff_t)begin; item < (ptrdiff_t)end; ++item) {
    const ptrdiff_t image = item / g.down, oy = item % g.down * 2;
    const float *x = (const float *)c->in[0].data + image * g.h * g.w * g.c;
    float *y = (float *)c->out[0].data + image * g.out_h * g.out_w * g.out_c;
    for (ptrdiff_t i = 0; i < g.right; ++i)
      for (ptrdiff_t k = 0; k < g.c; ++k)
        conv_winograd_f32_ref_tile(&g, x + k, oy - g.top, 2 * i - g.left,
                                   in + i * tile + k);
    for (ptrdiff_t oc = 0; oc < g.out_c; ++oc) {
      const float *w = (const float *)c->in[1].data + oc * 9 * g.c;
      for (ptrdiff_t k = 0; k < g.c; ++k)
        tenon_winograd_weights(w + k, g.c, u + k, g.c);
      conv_winograd_f32_ref_row(&g, in, u, &tail, m, oy, oc, y);
    }
  }
  return TENON_OK;
}
