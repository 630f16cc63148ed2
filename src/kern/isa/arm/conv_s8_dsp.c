// conv_s8_dsp.c - quantised convolution, two pixels and two channels at a time.
//
// The windows of two pixels are widened to int16 less the zero point, so that
// taps outside the image are zero; weights are widened as they are read. Bit
// for bit what conv_s8_ref.c computes.
#include "kern/isa/arm/dsp.h"
#include "tenon/tensor.h"

// Bytes as int16 in pairs (0,2) (1,3); a pixel is every other pair of words.
TENON_ARM uint32_t *conv_s8_dsp_widen(uint32_t *to, const int8_t *p,
                                      int32_t bytes, uint32_t minus) {
  for (; bytes > 0; bytes -= 4, p += 4, to += 4) {
    const uint32_t x = tenon_dsp_load(p);
    to[0] = tenon_dsp_even(minus, x);
    to[1] = tenon_dsp_odd(minus, x);
  }
  return to;
}

// The window of a pixel as a column. `spare`: a row of taps as bytes.
static void conv_s8_dsp_column(const tenon_arm_window *g, const int8_t *image,
                               int32_t oy, int32_t ox, uint32_t *to,
                               int8_t *spare, uint32_t minus) {
  const int32_t y = oy * g->down - g->top, x = ox * g->right - g->left;
  const int32_t round = (g->run + 3) & ~3;
  for (int32_t ky = 0; ky < g->kh; ++ky) {
    const int32_t at = y + ky * g->dil_y;
    if ((uint32_t)at >= (uint32_t)g->h) {
      for (int32_t i = 0; i < round; i += 4, to += 4)
        to[0] = to[1] = 0;
      continue;
    }
    memset(spare, g->x_zero, (size_t)round);
    for (int32_t kx = 0; kx < g->kw; ++kx) {
      const int32_t column = x + kx * g->dil_x;
      if ((uint32_t)column < (uint32_t)g->w)
        memcpy(spare + kx * g->c, image + (at * g->w + column) * g->c,
               (size_t)g->c);
    }
    to = conv_s8_dsp_widen(to, spare, round, minus);
  }
}

#define CONV_S8_DSP_FOUR             \
  "ldrd %[w0], %[w1], [%[w]], #8\n"  \
  "sxtb16 %[w2], %[w0], ror #8\n"    \
  "sxtb16 %[w0], %[w0]\n"            \
  "sxtb16 %[w3], %[w1], ror #8\n"    \
  "sxtb16 %[w1], %[w1]\n"            \
  "ldrd %[x0], %[x1], [%[x]], #8\n"  \
  "smlad %[a], %[w0], %[x0], %[a]\n" \
  "smlad %[b], %[w1], %[x0], %[b]\n" \
  "smlad %[a], %[w2], %[x1], %[a]\n" \
  "smlad %[b], %[w3], %[x1], %[b]\n" \
  "ldrd %[x0], %[x1], [%[x]], #8\n"  \
  "smlad %[d], %[w0], %[x0], %[d]\n" \
  "smlad %[e], %[w1], %[x0], %[e]\n" \
  "smlad %[d], %[w2], %[x1], %[d]\n" \
  "smlad %[e], %[w3], %[x1], %[e]\n"

TENON_KERNEL_RANGE(tenon_k_conv_s8_dsp) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  const tenon_arm_channel *const channels = (const tenon_arm_channel *)(g + 1);
  const int8_t *const weights = (const int8_t *)(channels + g->out_c);
  uint32_t *const columns = (uint32_t *)c->scratch;
  int8_t *const spare = (int8_t *)(columns + g->k);
  const uint32_t minus = (uint32_t)(-g->x_zero & 0xFFFF) * 0x10001u;
  const int32_t out_c = g->out_c;
  int8_t *y = (int8_t *)c->out[0].data + (int32_t)begin * g->out_w * out_c;
  int32_t row = (int32_t)begin, oy = row % g->out_h, ox = 0;
  const int8_t *image =
      (const int8_t *)c->in[0].data + row / g->out_h * g->h * g->w * g->c;
  for (int32_t left = (int32_t)(end - begin) * g->out_w; left > 0;
       left -= 2, y += 2 * out_c) {
    for (int32_t i = 0; i < 2 && i < left; ++i) {
      conv_s8_dsp_column(g, image, oy, ox, columns + 2 * i, spare, minus);
      if (++ox < g->out_w) continue;
      ox = 0;
      if (++oy == g->out_h) oy = 0, image += g->h * g->w * g->c;
    }
    const int8_t *w = weights;
    int8_t *y0 = y, *y1 = left > 1 ? y + out_c : y;
    for (const tenon_arm_channel *q = channels; q < channels + out_c; q += 2) {
      const uint32_t *x = columns;
      int32_t a = q[0].bias, b = q[1].bias, d = a, e = b;
      uint32_t w0, w1, w2, w3, x0, x1;
      const int8_t *stop = w + 2 * g->k;
      __asm__ volatile(
          "1:\n" CONV_S8_DSP_FOUR CONV_S8_DSP_FOUR
          "cmp %[w], %[stop]\n"
          "bne 1b"
          : [a] "+r"(a), [b] "+r"(b), [d] "+r"(d), [e] "+r"(e), [w] "+r"(w),
            [x] "+r"(x), [w0] "=&r"(w0), [w1] "=&r"(w1), [w2] "=&r"(w2),
            [w3] "=&r"(w3), [x0] "=&r"(x0), [x1] "=&r"(x1)
          : [stop] "r"(stop)
          : "cc", "memory");
      // Of a pixel alone the second is overwritten by the first.
      y1[0] = (int8_t)tenon_dsp_twice(d, q[0].mult, q[0].round, q[0].shift);
      y1[1] = (int8_t)tenon_dsp_twice(e, q[1].mult, q[1].round, q[1].shift);
      y0[0] = (int8_t)tenon_dsp_twice(a, q[0].mult, q[0].round, q[0].shift);
      y0[1] = (int8_t)tenon_dsp_twice(b, q[1].mult, q[1].round, q[1].shift);
      y0 += 2, y1 += 2;
    }
  }
  return TENON_OK;
}
