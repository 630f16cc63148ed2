// kern/opt/conv/depthwise_conv_s16q_opt.h - depthwise convolution of 16-bit
// numbers with weights of 8 bits: an output for each channel, in registers of
// channels.
//
// Sums have 32 bits, which the packing function has made sure of. Where all
// taps of some pixels are in the image they share the weights.
#ifndef TENON_KERN_OPT_DEPTHWISE_CONV_S16Q_OPT_H
#define TENON_KERN_OPT_DEPTHWISE_CONV_S16Q_OPT_H

#include "kern/loop/window.h"
#include "kern/opt/tiles/blocks.h"
#include "kern/opt/tiles/scale_s16.h"
#include "kern/product/conv.h"

#define TENON_S16_PIXELS 4

typedef struct tenon_depthwise_s16 {
  tenon_window g;
  const int32_t *bias, *low, *high;
  const int8_t *weights;  // np of a tap
  ptrdiff_t np;
  const int16_t *x, *end;  // the input
  tenon_limits_s16 limits;
} tenon_depthwise_s16;

// Channels at p, which may be the last ones of the input.
TENON_FLAT tenon_vi tenon_depthwise_s16_load(const tenon_depthwise_s16 *s,
                                             const int16_t *p) {
  tenon_vw x = {0};
  if (s->end - p >= TENON_VL)
    x = *(const tenon_vw_at *)p;
  else
    memcpy(&x, p, (size_t)(s->end - p) * sizeof *p);
  return __builtin_convertvector(x, tenon_vi);
}

// `count` pixels, a constant; `at` is where tap (0, 0) of the first is, `v` the
// vector of channels.
TENON_FLAT void tenon_depthwise_s16_some(const int count,
                                         const tenon_depthwise_s16 *s,
                                         const tenon_taps *ty,
                                         ptrdiff_t kx_begin, ptrdiff_t kx_end,
                                         ptrdiff_t v, ptrdiff_t at,
                                         int16_t *y) {
  const tenon_window *g = &s->g;
  const ptrdiff_t j = v * TENON_VL;
  const ptrdiff_t last =
      at + ((ty->end - 1) * g->dil_y * g->w + (count - 1) * g->right +
            (kx_end - 1) * g->dil_x) *
               g->c;
  const bool is_inside = s->end - s->x - last >= TENON_VL;
  tenon_vi acc[TENON_S16_PIXELS];
  TENON_UNROLL
  for (int i = 0; i < count; ++i)
    acc[i] = tenon_vi_load(s->bias + j);
  for (ptrdiff_t ky = ty->begin; ky < ty->end; ++ky) {
    const int16_t *row =
        s->x + at + (ky * g->dil_y * g->w + kx_begin * g->dil_x) * g->c;
    const int8_t *w = s->weights + (ky * g->kw + kx_begin) * s->np + j;
    for (ptrdiff_t kx = kx_begin; kx < kx_end; ++kx) {
#ifdef TENON_HAS_MADD
      const tenon_vi weight = tenon_vi_widen(w) & 0xffff;
#else
      const tenon_vi weight = tenon_vi_widen(w);
#endif
      TENON_UNROLL
      for (int i = 0; i < count; ++i) {
        const int16_t *p = row + i * g->right * g->c;
        const tenon_vi in = is_inside ? __builtin_convertvector(
                                            *(const tenon_vw_at *)p, tenon_vi)
                                      : tenon_depthwise_s16_load(s, p);
#ifdef TENON_HAS_MADD
        acc[i] = tenon_vi_dot(acc[i], in, weight);
#else
        acc[i] = tenon_vi_add(acc[i], in * weight);
#endif
      }
      row += g->dil_x * g->c;
      w += s->np;
    }
  }
  const tenon_vd2 factor =
      tenon_vd2_of_words(tenon_vi_load(s->low + j), tenon_vi_load(s->high + j));
  TENON_UNROLL
  for (int i = 0; i < count; ++i)
    tenon_s16_put(TENON_UP, &factor, &s->limits, tenon_vd2_of_vi(acc[i]),
                  g->c - j, y + i * g->c);
}

TENON_APART void tenon_depthwise_s16_one(const tenon_depthwise_s16 *s,
                                         const tenon_taps *ty,
                                         const tenon_taps *tx, ptrdiff_t v,
                                         ptrdiff_t at, int16_t *y) {
  tenon_depthwise_s16_some(1, s, ty, tx->begin, tx->end, v, at, y);
}
TENON_APART void tenon_depthwise_s16_four(const tenon_depthwise_s16 *s,
                                          const tenon_taps *ty, ptrdiff_t v,
                                          ptrdiff_t at, int16_t *y) {
  tenon_depthwise_s16_some(TENON_S16_PIXELS, s, ty, 0, s->g.kw, v, at, y);
}

TENON_INLINE tenon_depthwise_s16 tenon_depthwise_s16_of(const tenon_call *c) {
  const tenon_packed_s8 *head = (const tenon_packed_s8 *)c->packed;
  tenon_depthwise_s16 s;
  s.g = tenon_conv_window(c);
  s.np = tenon_round_up(s.g.out_c, TENON_LANES);
  s.bias = (const int32_t *)(head + 1);
  s.low = s.bias + s.np;
  s.high = s.low + s.np;
  s.weights = (const int8_t *)(s.high + s.np);
  s.x = (const int16_t *)c->in[0].data;
  s.end = s.x + (ptrdiff_t)c->in[0].dims[0] * s.g.h * s.g.w * s.g.c;
  s.limits.lo = tenon_vi_splat(head->lo);
  s.limits.hi = tenon_vi_splat(head->hi);
  return s;
}

// An item is a row.
TENON_INLINE tenon_status tenon_depthwise_conv_s16q_run(const tenon_call *c,
                                                        int64_t begin,
                                                        int64_t end) {
  const tenon_depthwise_s16 s = tenon_depthwise_s16_of(c);
  const tenon_window *g = &s.g;
  const tenon_span inside =
      tenon_span_of(g->out_w, g->right, g->left, g->dil_x, g->kw, g->w);
  for (ptrdiff_t line = (ptrdiff_t)begin; line < (ptrdiff_t)end; ++line) {
    const tenon_taps ty = tenon_window_rows(g, line % g->out_h);
    const ptrdiff_t row = (line / g->out_h * g->h + ty.at) * g->w * g->c;
    int16_t *y = (int16_t *)c->out[0].data + line * g->out_w * g->c;
    for (ptrdiff_t v = 0; v * TENON_VL < g->c; ++v) {
      ptrdiff_t ox = 0;
      while (ox < g->out_w) {
        const tenon_taps tx = tenon_window_columns(g, ox);
        const ptrdiff_t from = row + tx.at * g->c + v * TENON_VL;
        int16_t *to = y + ox * g->c + v * TENON_VL;
        if (ox >= inside.begin && ox + TENON_S16_PIXELS <= inside.end) {
          tenon_depthwise_s16_four(&s, &ty, v, from, to);
          ox += TENON_S16_PIXELS;
        } else {
          tenon_depthwise_s16_one(&s, &ty, &tx, v, from, to);
          ++ox;
        }
      }
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_DEPTHWISE_CONV_S16Q_OPT_H
