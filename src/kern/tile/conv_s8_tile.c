// conv_s8_tile.c - quantised convolution, two pixels of a row and two channels
// at a time. Bit for bit what conv_s8_ref.c computes. Results of few channels
// that lie over the operand wait until all that their pixels need has been
// read.
//
// Packed: a tenon_requant, then a bias for each channel that has the share of
// the zero point, for windows that are all in the image.
#include <string.h>

#include "kern/loop/window.h"
#include "kern/product/conv.h"
#include "kern/tile/two_by_two.h"

typedef struct conv_s8_tile_call {
  tenon_window g;
  const tenon_requant *r;
  const int8_t *weights;
  const int32_t *bias, *folded;
} conv_s8_tile_call;

// All channels of a pixel at p, and of the one `pixel` bytes behind, if that is
// not 0, over the taps that are in the image.
static void conv_s8_tile_pixels(const conv_s8_tile_call *k, const int8_t *p,
                                ptrdiff_t pixel, int8_t *y, tenon_taps ty,
                                tenon_taps tx) {
  const tenon_window *g = &k->g;
  const ptrdiff_t size = g->kh * g->kw * g->c, out_c = g->out_c;
  const ptrdiff_t taps = tx.end - tx.begin;
  const bool is_inside = ty.end - ty.begin == g->kh && taps == g->kw;
  const int32_t *bias = is_inside ? k->folded : k->bias;
  // A row of taps is a run of bytes, or as many as there are taps.
  const ptrdiff_t turns = g->dil_x == 1 ? taps > 0 : taps;
  const ptrdiff_t run = g->dil_x == 1 ? taps * g->c : g->c;
  const ptrdiff_t step = g->dil_x * g->c, depth = g->c;
  const ptrdiff_t line = g->dil_y * g->w * g->c, row_size = g->kw * g->c;
  const int32_t x_zero = k->r->x_zero;
  const int8_t *w = k->weights + (ty.begin * g->kw + tx.begin) * g->c;
  p += (ty.begin * g->dil_y * g->w + tx.begin * g->dil_x) * g->c;
  for (ptrdiff_t i = 0; i < out_c; i += 2, w += 2 * size) {
    const bool is_two = i + 1 < out_c;
    const ptrdiff_t channel = is_two ? size : 0;
    uint32_t sums[4] = {0, 0, 0, 0};
    if (bias) {
      sums[0] = sums[2] = (uint32_t)bias[i];
      if (is_two) sums[1] = sums[3] = (uint32_t)bias[i + 1];
    }
    const int8_t *row = p, *weights = w;
    for (ptrdiff_t ky = ty.begin; ky < ty.end; ++ky) {
      const int8_t *x = row, *v = weights;
      for (ptrdiff_t n = 0; n < turns; ++n, x += step, v += depth) {
        if (is_inside)
          tenon_two_by_two(x, x + pixel, v, v + channel, run, sums);
        else
          tenon_two_by_two_less(x, x + pixel, v, v + channel, run, sums,
                                x_zero);
      }
      row += line;
      weights += row_size;
    }
    y[i] = tenon_requant_s8_twice(k->r, (int32_t)sums[0], i);
    if (pixel) y[out_c + i] = tenon_requant_s8_twice(k->r, (int32_t)sums[2], i);
    if (!is_two) break;
    y[i + 1] = tenon_requant_s8_twice(k->r, (int32_t)sums[1], i + 1);
    if (pixel)
      y[out_c + i + 1] = tenon_requant_s8_twice(k->r, (int32_t)sums[3], i + 1);
  }
}

// Whether the result shares memory with the operand.
static bool conv_s8_tile_is_over(const tenon_call *c) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const uintptr_t from = (uintptr_t)x->data, to = (uintptr_t)y->data;
  return from < to + tenon_count(y) && to < from + tenon_count(x);
}

TENON_KERNEL_RANGE(tenon_k_conv_s8_tile) {
  const tenon_conv_attrs *a = (const tenon_conv_attrs *)c->attrs;
  const tenon_tensor *w = &c->in[1];
  conv_s8_tile_call k;
  k.g = tenon_window_of(&c->in[0], &c->out[0], w->dims[1], w->dims[2],
                        a->stride.data, a->pad.data, a->dilation.data);
  k.r = (const tenon_requant *)c->packed;
  k.folded = (const int32_t *)(k.r + 1) + 2 * k.r->channels;
  k.weights = (const int8_t *)w->data;
  k.bias = (const int32_t *)c->in[2].data;
  const tenon_window *g = &k.g;
  const ptrdiff_t skip = g->right * g->c;
  const bool is_held =
      g->out_c <= TENON_CONV_TILE_HELD && conv_s8_tile_is_over(c);
  int8_t held[2 * TENON_CONV_TILE_HELD];
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const int8_t *image =
        (const int8_t *)c->in[0].data + row / g->out_h * g->h * g->w * g->c;
    int8_t *y = (int8_t *)c->out[0].data + row * g->out_w * g->out_c;
    const tenon_taps ty = tenon_window_rows(g, row % g->out_h);
    for (ptrdiff_t ox = 0; ox < g->out_w;) {
      const tenon_taps tx = tenon_window_columns(g, ox);
      tenon_taps next = tx;
      if (ox + 1 < g->out_w) next = tenon_window_columns(g, ox + 1);
      // Two pixels go together where they have the same taps.
      const bool is_pair =
          ox + 1 < g->out_w && next.begin == tx.begin && next.end == tx.end;
      conv_s8_tile_pixels(&k, image + (ty.at * g->w + tx.at) * g->c,
                          is_pair ? skip : 0, is_held ? held : y, ty, tx);
      const ptrdiff_t made = is_pair ? 2 : 1;
      if (is_held) memcpy(y, held, (size_t)(made * g->out_c));
      ox += made;
      y += made * g->out_c;
    }
  }
  return TENON_OK;
}
