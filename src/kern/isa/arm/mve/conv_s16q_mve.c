// conv_s16q_mve.c - convolution of 16-bit numbers with 8-bit weights, plain
// channels, a pixel and four channels at a time. Bit for bit what
// conv_s16q_ref.c computes.
#include "kern/isa/arm/mve/wide_mve.h"

// Numbers into a column, or zeros.
TENON_MVE int16_t *conv_s16q_mve_put(int16_t *to, const int16_t *p, int32_t n) {
  for (int32_t i = 0; i < n; i += 8) {
    const mve_pred16_t some = vctp16q((uint32_t)(n - i));
    int16x8_t v = vdupq_n_s16(0);
    if (p) v = vldrhq_z_s16(p + i, some);
    vstrhq_p_s16(to + i, v, some);
  }
  return to + n;
}

// The window of a pixel at y, x; taps outside the image are zero.
static void conv_s16q_mve_column(const tenon_arm_window *g,
                                 const int16_t *image, int32_t y, int32_t x,
                                 int16_t *to) {
  const int32_t c = g->c;
  int32_t lo = 0, hi = g->kw;
  while (lo < hi && x + lo * g->dil_x < 0)
    ++lo;
  while (hi > lo && x + (hi - 1) * g->dil_x >= g->w)
    --hi;
  for (int32_t ky = 0; ky < g->kh; ++ky, y += g->dil_y) {
    if ((uint32_t)y >= (uint32_t)g->h || lo == hi) {
      to = conv_s16q_mve_put(to, NULL, g->kw * c);
      continue;
    }
    const int16_t *p = image + (y * g->w + x + lo * g->dil_x) * c;
    to = conv_s16q_mve_put(to, NULL, lo * c);
    if (g->dil_x == 1)
      to = conv_s16q_mve_put(to, p, (hi - lo) * c);
    else
      for (int32_t i = lo; i < hi; ++i, p += g->dil_x * c)
        to = conv_s16q_mve_put(to, p, c);
    to = conv_s16q_mve_put(to, NULL, (g->kw - hi) * c);
  }
}

TENON_KERNEL_RANGE(tenon_k_conv_s16q_mve) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  int16_t *const column = (int16_t *)c->scratch;
  const int32_t taps = g->kh * g->kw * g->c;
  int16_t *y = (int16_t *)c->out[0].data + (int32_t)begin * g->out_w * g->out_c;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int16_t *image =
        (const int16_t *)c->in[0].data + row / g->out_h * g->h * g->w * g->c;
    const int32_t at = row % g->out_h * g->down;
    for (int32_t ox = 0; ox < g->out_w; ++ox, y += g->out_c) {
      const int16_t *from = column;
      if (g->how)  // one tap, in the image
        from = image + (at * g->w + ox * g->right) * g->c;
      else
        conv_s16q_mve_column(g, image, at - g->top, ox * g->right - g->left,
                             column);
      tenon_wide_mve(g, taps, from, y);
    }
  }
  return TENON_OK;
}
