// depthwise_conv_s16q_ref.c - depthwise convolution of 16-bit numbers with
// 8-bit weights, as LiteRT's reference DEPTHWISE_CONV_2D: sums in 64 bits.
#include "kern/product/windows.h"

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_s16q_ref) {
  const tenon_requant *r = (const tenon_requant *)c->packed;
  const int64_t *bias = (const int64_t *)c->in[2].data;
  const tenon_window g = tenon_conv_window(c);
  const ptrdiff_t times = g.out_c / g.c;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const int16_t *image =
        (const int16_t *)c->in[0].data + tenon_window_image(&g, row);
    int16_t *y = (int16_t *)c->out[0].data + row * g.out_w * g.out_c;
    tenon_taps ty = tenon_window_rows(&g, row % g.out_h);
    for (ptrdiff_t ox = 0; ox < g.out_w; ++ox, y += g.out_c) {
      tenon_taps tx = tenon_window_columns(&g, ox);
      for (ptrdiff_t oc = 0; oc < g.out_c; ++oc) {
        const int8_t *q = (const int8_t *)c->in[1].data + oc;
        int64_t acc = bias ? tenon_limit_wide(bias[oc]) : 0;
        for (ptrdiff_t ky = ty.begin; ky < ty.end; ++ky)
          for (ptrdiff_t kx = tx.begin; kx < tx.end; ++kx)
            acc += image[((ty.at + ky * g.dil_y) * g.w + tx.at + kx * g.dil_x) *
                             g.c +
                         oc / times] *
                   q[(ky * g.kw + kx) * g.out_c];
        y[oc] = tenon_requant_s16_wide(r, acc, oc);
      }
    }
  }
  return TENON_OK;
}
