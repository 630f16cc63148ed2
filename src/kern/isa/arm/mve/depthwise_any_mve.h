// kern/isa/arm/mve/depthwise_any_mve.h - depthwise convolutions of any
// channels, any number of results of each, any window and limits, four results
// of a pixel at a time.
//
// `narrow`: weights of 4 bits, of two taps the first in the upper halves of
// bytes.
#ifndef TENON_KERN_ISA_ARM_DEPTHWISE_ANY_MVE_H
#define TENON_KERN_ISA_ARM_DEPTHWISE_ANY_MVE_H

#include "kern/isa/arm/mve/mve.h"
#include "kern/loop/window.h"

// Rounded twice (kern/num/fixed.h); the sign of a shift that is not to the
// right is that of no number.
TENON_MVE int32x4_t tenon_depthwise_any_mve_twice(int32x4_t v,
                                                  const tenon_arm_any *q) {
  const int32x4_t right = vldrwq_s32(q->right);
  v = vqrdmulhq_s32(vshlq_s32(v, vldrwq_s32(q->left)), vldrwq_s32(q->mult));
  v = vaddq_s32(v, vshrq_n_s32(vandq_s32(v, right), 31));
  return vrshlq_s32(v, right);
}

TENON_MVE tenon_status tenon_depthwise_any_mve(const tenon_call *c,
                                               int64_t begin, int64_t end,
                                               bool narrow) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  const int32_t depth = g->c, line = g->w * depth;
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
        const mve_pred16_t lanes = vctp32q((uint32_t)(g->out_c - i));
        const uint32x4_t at = vldrwq_u32(q->place);
        int32x4_t sum = vldrwq_s32(q->bias);
        for (int32_t ky = (int32_t)ty.begin; ky < (int32_t)ty.end; ++ky) {
          const int8_t *p = image + (ty.at + ky * g->dil_y) * line +
                            (tx.at + tx.begin * g->dil_x) * depth;
          int32_t tap = ky * g->kw + (int32_t)tx.begin;
          for (int32_t kx = (int32_t)(tx.end - tx.begin); kx > 0; --kx) {
            const int32x4_t x = vldrbq_gather_offset_z_s32(p, at, lanes);
            int32x4_t w = vldrbq_s32(weights + (narrow ? tap / 2 : tap) * 4);
            if (narrow) w = vshrq_n_s32(vshlq_r_s32(w, 24 + tap % 2 * 4), 28);
            sum = vaddq_s32(sum, vmulq_s32(vsubq_n_s32(x, g->x_zero), w));
            ++tap;
            p += g->dil_x * depth;
          }
        }
        sum = tenon_mve_stored(tenon_depthwise_any_mve_twice(sum, q), g);
        vstrbq_p_s32(y + i, sum, lanes);
        q = (const tenon_arm_any *)(weights + bytes);
      }
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_ISA_ARM_DEPTHWISE_ANY_MVE_H
