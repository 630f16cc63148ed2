// kern/isa/arm/dsp/depthwise_any_dsp.h - depthwise convolutions of any
// channels, any number of results of each, any window and limits, four results
// of a pixel at a time.
//
// `narrow`: weights of 4 bits, of two taps the first in the upper halves of
// bytes.
#ifndef TENON_KERN_ISA_ARM_DEPTHWISE_ANY_DSP_H
#define TENON_KERN_ISA_ARM_DEPTHWISE_ANY_DSP_H

#include "kern/isa/arm/dsp/dsp.h"
#include "kern/loop/window.h"

// A weight as it is, or the half of a byte that is `up` bits below the top.
#define TENON_DEPTHWISE_ANY_DSP(w) \
  (narrow ? (int32_t)((uint32_t)(int32_t)(w) << up) >> 28 : (w))

TENON_ARM tenon_status tenon_depthwise_any_dsp(const tenon_call *c,
                                               int64_t begin, int64_t end,
                                               bool narrow) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  const int32_t depth = g->c, line = g->w * depth, zero = g->x_zero;
  const int32_t taps = g->kh * g->kw;
  const int32_t bytes = narrow ? (taps + 1) / 2 * 4 : taps * 4;
  int8_t *y = (int8_t *)c->out[0].data + (int32_t)begin * g->out_w * g->out_c;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int8_t *image =
        (const int8_t *)c->in[0].data + row / g->out_h * g->h * line;
    const tenon_taps ty = tenon_window_taps(row % g->out_h, g->down, g->top,
                                            g->dil_y, g->kh, g->h);
    for (int32_t ox = 0; ox < g->out_w; ++ox, y += g->out_c) {
      const tenon_taps tx =
          tenon_window_taps(ox, g->right, g->left, g->dil_x, g->kw, g->w);
      const tenon_arm_any *q = (const tenon_arm_any *)tenon_arm_rest(g);
      for (int32_t i = 0; i < g->out_c; i += 4) {
        const int8_t *const weights = (const int8_t *)(q + 1);
        const uint32_t *at = q->place;
        uint32_t sums[4];
        memcpy(sums, q->bias, sizeof sums);
        for (int32_t ky = (int32_t)ty.begin; ky < (int32_t)ty.end; ++ky) {
          const int8_t *p = image + (ty.at + ky * g->dil_y) * line +
                            (tx.at + tx.begin * g->dil_x) * depth;
          int32_t tap = ky * g->kw + (int32_t)tx.begin;
          uint32_t a = sums[0], b = sums[1], d = sums[2], e = sums[3];
          for (int32_t kx = (int32_t)(tx.end - tx.begin); kx > 0; --kx) {
            const int8_t *w = weights + (narrow ? tap / 2 : tap) * 4;
            const int32_t up = narrow ? 24 + tap % 2 * 4 : 0;
            a += (uint32_t)((p[at[0]] - zero) * TENON_DEPTHWISE_ANY_DSP(w[0]));
            b += (uint32_t)((p[at[1]] - zero) * TENON_DEPTHWISE_ANY_DSP(w[1]));
            d += (uint32_t)((p[at[2]] - zero) * TENON_DEPTHWISE_ANY_DSP(w[2]));
            e += (uint32_t)((p[at[3]] - zero) * TENON_DEPTHWISE_ANY_DSP(w[3]));
            ++tap;
            p += g->dil_x * depth;
          }
          sums[0] = a, sums[1] = b, sums[2] = d, sums[3] = e;
        }
        for (int32_t k = 0; k < 4 && i + k < g->out_c; ++k) {
          const int32_t v = tenon_requant_twice((int32_t)sums[k], q->mult[k],
                                                q->left[k] + q->right[k]);
          y[i + k] = (int8_t)tenon_clamp_s32(tenon_add_s32(v, g->y_zero), g->lo,
                                             g->hi);
        }
        q = (const tenon_arm_any *)(weights + bytes);
      }
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_ISA_ARM_DEPTHWISE_ANY_DSP_H
