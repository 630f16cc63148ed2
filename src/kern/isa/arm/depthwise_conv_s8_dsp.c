// depthwise_conv_s8_dsp.c - quantised depthwise convolution, four channels of a
// pixel at a time.
//
// A word has a tap of four channels, which are widened to int16 less the zero
// point; taps outside the image are left out. Of channels that are no multiple
// of four the last four are computed as a whole, some of them twice. Bit for
// bit what depthwise_conv_s8_ref.c computes.
#include "kern/isa/arm/dsp.h"
#include "kern/window.h"

// Weights: int16 of channels 0 and 2, then 1 and 3.
#define DEPTHWISE_CONV_S8_DSP_TAP(address) \
  "ldr %[x], " address                     \
  "\n"                                     \
  "ldrd %[w0], %[w1], [%[w]], #8\n"        \
  "sxtab16 %[t], %[minus], %[x], ror #8\n" \
  "sxtab16 %[x], %[minus], %[x]\n"         \
  "smlabb %[a], %[x], %[w0], %[a]\n"       \
  "smlatt %[d], %[x], %[w0], %[d]\n"       \
  "smlabb %[b], %[t], %[w1], %[b]\n"       \
  "smlatt %[e], %[t], %[w1], %[e]\n"

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_s8_dsp) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  const tenon_arm_channel *const channels = (const tenon_arm_channel *)(g + 1);
  const int32_t depth = g->c, line = g->w * depth * g->dil_y;
  const int32_t step = depth * g->dil_x, taps = g->kh * g->kw;
  const int16_t *const weights =
      (const int16_t *)(channels + (depth + 3) / 4 * 4);
  const uint32_t minus = (uint32_t)(-g->x_zero & 0xFFFF) * 0x10001u;
  int8_t *y = (int8_t *)c->out[0].data + (int32_t)begin * g->out_w * depth;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int8_t *image =
        (const int8_t *)c->in[0].data + row / g->out_h * g->h * g->w * depth;
    const tenon_taps ty = tenon_window_taps(row % g->out_h, g->down, g->top,
                                            g->dil_y, g->kh, g->h);
    const int32_t rows = (int32_t)(ty.end - ty.begin);
    image += (ty.at + ty.begin * g->dil_y) * g->w * depth;
    for (int32_t ox = 0; ox < g->out_w; ++ox, y += depth) {
      const tenon_taps tx =
          tenon_window_taps(ox, g->right, g->left, g->dil_x, g->kw, g->w);
      const int32_t columns = (int32_t)(tx.end - tx.begin);
      const int32_t skip = (g->kw - columns) * 8;
      const int8_t *from = image + (tx.at + tx.begin * g->dil_x) * depth;
      const int16_t *at = weights + (ty.begin * g->kw + tx.begin) * 4;
      const tenon_arm_channel *q = channels;
      for (int32_t i = 0; i < depth; i += 4, q += 4, at += taps * 4) {
        int32_t a = q[0].bias, b = q[1].bias, d = q[2].bias, e = q[3].bias;
        uint32_t x, t, w0, w1;
        const int16_t *w = at;
        if (i > depth - 4) i = depth - 4;
        const int8_t *p = from + i;
        if (columns == 3 && g->kw == 3) {
          for (int32_t ky = 0; ky < rows; ++ky, p += line)
            __asm__ volatile(
                DEPTHWISE_CONV_S8_DSP_TAP("[%[p]]")
                    DEPTHWISE_CONV_S8_DSP_TAP("[%[p], %[step]]")
                        DEPTHWISE_CONV_S8_DSP_TAP("[%[p], %[step], lsl #1]")
                : [a] "+r"(a), [b] "+r"(b), [d] "+r"(d), [e] "+r"(e),
                  [w] "+r"(w), [x] "=&r"(x), [t] "=&r"(t), [w0] "=&r"(w0),
                  [w1] "=&r"(w1)
                : [p] "r"(p), [step] "r"(step), [minus] "r"(minus)
                : "memory");
        } else {
          for (int32_t ky = 0; ky < rows; ++ky, p += line) {
            const int8_t *tap = p;
            for (int32_t kx = 0; kx < columns; ++kx, tap += step)
              __asm__ volatile(DEPTHWISE_CONV_S8_DSP_TAP("[%[p]]")
                               : [a] "+r"(a), [b] "+r"(b), [d] "+r"(d),
                                 [e] "+r"(e), [w] "+r"(w), [x] "=&r"(x),
                                 [t] "=&r"(t), [w0] "=&r"(w0), [w1] "=&r"(w1)
                               : [p] "r"(tap), [minus] "r"(minus)
                               : "memory");
            w = (const int16_t *)((const int8_t *)w + skip);
          }
        }
        y[i] = (int8_t)tenon_dsp_stored(a, &q[0]);
        y[i + 1] = (int8_t)tenon_dsp_stored(b, &q[1]);
        y[i + 2] = (int8_t)tenon_dsp_stored(d, &q[2]);
        y[i + 3] = (int8_t)tenon_dsp_stored(e, &q[3]);
      }
    }
  }
  return TENON_OK;
}
