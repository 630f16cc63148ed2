// depthwise_conv_s8_ref.c - quantised depthwise convolution, as LiteRT's
// reference DEPTHWISE_CONV_2D: rounded twice.
//
// Scratch holds the 32-bit sums of one output pixel, so the innermost loop is
// contiguous.
#include "kern/loop/window.h"
#include "kern/product/conv.h"
#include "kern/product/requant.h"

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_s8_ref) {
  const tenon_depthwise_conv_attrs *a =
      (const tenon_depthwise_conv_attrs *)c->attrs;
  const tenon_requant *r = (const tenon_requant *)c->packed;
  const int32_t x_zero = r->x_zero, w_zero = r->w_zero;
  const tenon_tensor *w = &c->in[1];
  const int32_t *bias = (const int32_t *)c->in[2].data;
  const tenon_window g =
      tenon_window_of(&c->in[0], &c->out[0], w->dims[1], w->dims[2],
                      a->stride.data, a->pad.data, a->dilation.data);
  const ptrdiff_t times = g.out_c / g.c;
  uint32_t *acc = (uint32_t *)c->scratch;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const int8_t *image =
        (const int8_t *)c->in[0].data + row / g.out_h * g.h * g.w * g.c;
    int8_t *y = (int8_t *)c->out[0].data + row * g.out_w * g.out_c;
    tenon_taps ty = tenon_window_rows(&g, row % g.out_h);
    for (ptrdiff_t ox = 0; ox < g.out_w; ++ox, y += g.out_c) {
      tenon_taps tx = tenon_window_columns(&g, ox);
      for (ptrdiff_t oc = 0; oc < g.out_c; ++oc)
        acc[oc] = bias ? (uint32_t)bias[oc] : 0;
      for (ptrdiff_t ky = ty.begin; ky < ty.end; ++ky) {
        for (ptrdiff_t kx = tx.begin; kx < tx.end; ++kx) {
          const int8_t *p =
              image +
              ((ty.at + ky * g.dil_y) * g.w + tx.at + kx * g.dil_x) * g.c;
          const int8_t *q =
              (const int8_t *)w->data + (ky * g.kw + kx) * g.out_c;
          if (times == 1) {
            for (ptrdiff_t oc = 0; oc < g.out_c; ++oc)
              acc[oc] += (uint32_t)((p[oc] - x_zero) * (q[oc] - w_zero));
          } else {
            for (ptrdiff_t oc = 0; oc < g.out_c; ++oc)
              acc[oc] +=
                  (uint32_t)((p[oc / times] - x_zero) * (q[oc] - w_zero));
          }
        }
      }
      for (ptrdiff_t oc = 0; oc < g.out_c; ++oc)
        y[oc] = tenon_requant_s8_twice(r, (int32_t)acc[oc], oc);
    }
  }
  return TENON_OK;
}
