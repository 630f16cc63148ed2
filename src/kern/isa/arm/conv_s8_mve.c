// conv_s8_mve.c - quantised convolution, four channels at a time.
//
// A window is gathered as bytes, taps outside the image as the zero point,
// whose share is part of the biases. Bit for bit what conv_s8_ref.c computes.
#include "kern/isa/arm/mve.h"
#include "kern/isa/arm/mve_sums.h"
#include "tenon/tensor.h"

static void conv_s8_mve_window(const tenon_arm_window *g, const int8_t *image,
                               int32_t y, int32_t x, int8_t *to) {
  memset(to, g->x_zero, (size_t)(g->kh * g->kw * g->c));
  for (int32_t ky = 0; ky < g->kh; ++ky)
    for (int32_t kx = 0; kx < g->kw; ++kx, to += g->c) {
      const int32_t row = y + ky * g->dil_y, column = x + kx * g->dil_x;
      if ((uint32_t)row < (uint32_t)g->h && (uint32_t)column < (uint32_t)g->w)
        memcpy(to, image + (row * g->w + column) * g->c, (size_t)g->c);
    }
}

TENON_KERNEL_RANGE(tenon_k_conv_s8_mve) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  const tenon_arm_quad *const quads = (const tenon_arm_quad *)(g + 1);
  const tenon_arm_quad *const last = quads + g->out_c / 4;
  int8_t *const spare = (int8_t *)c->scratch;
  const int32_t line = g->w * g->c;
  int8_t *y = (int8_t *)c->out[0].data + (int32_t)begin * g->out_w * g->out_c;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int8_t *image =
        (const int8_t *)c->in[0].data + row / g->out_h * g->h * line;
    for (int32_t ox = 0; ox < g->out_w; ++ox) {
      const int8_t *w = (const int8_t *)last;
      conv_s8_mve_window(g, image, row % g->out_h * g->down - g->top,
                         ox * g->right - g->left, spare);
      for (const tenon_arm_quad *q = quads; q < last; ++q, y += 4) {
        int32x4_t v = tenon_mve_sums(spare, g->k >> 4, &w, q->bias);
        vstrbq_s32(y, tenon_mve_stored(tenon_mve_twice(v, q), g));
      }
    }
  }
  return TENON_OK;
}
