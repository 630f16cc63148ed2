// conv_any_s16q_dsp.c - convolution of 16-bit numbers with 8-bit weights, any
// channels: a pixel and four channels at a time, sums in 64 bits. Bit for bit
// what conv_s16q_ref.c computes.
#include "kern/isa/arm/dsp/wide_any_dsp.h"

// The window of a pixel at y, x; taps outside the image are zero.
static void conv_any_s16q_dsp_column(const tenon_arm_window *g,
                                     const int16_t *image, int32_t y, int32_t x,
                                     int16_t *to) {
  int16_t *const end = to + g->k;
  for (int32_t ky = 0; ky < g->kh; ++ky, y += g->dil_y)
    for (int32_t kx = 0, at = x; kx < g->kw; ++kx, at += g->dil_x) {
      const int16_t *p = image + (y * g->w + at) * g->c;
      if ((uint32_t)y < (uint32_t)g->h && (uint32_t)at < (uint32_t)g->w) {
        for (int32_t i = 0; i < g->c; ++i)
          *to++ = *p++;
      } else {
        for (int32_t i = 0; i < g->c; ++i)
          *to++ = 0;
      }
    }
  while (to != end)
    *to++ = 0;
}

TENON_KERNEL_RANGE(tenon_k_conv_any_s16q_dsp) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  int16_t *const column = (int16_t *)c->scratch;
  int16_t *y = (int16_t *)c->out[0].data + (int32_t)begin * g->out_w * g->out_c;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int16_t *image =
        (const int16_t *)c->in[0].data + row / g->out_h * g->h * g->w * g->c;
    for (int32_t ox = 0; ox < g->out_w; ++ox, y += g->out_c) {
      const int16_t *from = column;
      if (g->how)  // one tap, of fours
        from = image + (row % g->out_h * g->down * g->w + ox * g->right) * g->c;
      else
        conv_any_s16q_dsp_column(g, image, row % g->out_h * g->down - g->top,
                                 ox * g->right - g->left, column);
      tenon_wide_any_dsp_row(g, from, y, tenon_requant_wide);
    }
  }
  return TENON_OK;
}
