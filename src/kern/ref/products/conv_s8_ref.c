// conv_s8_ref.c - quantised convolution, as LiteRT's reference CONV_2D.
//
// Sums of (x - x_zero) * (w - w_zero) in 32 bits, rounded twice
// (kern/num/fixed.h). Taps outside the image add nothing. Sums wrap, where
// LiteRT's are undefined.
#include "kern/loop/window.h"
#include "kern/product/conv.h"
#include "kern/product/requant.h"

TENON_KERNEL_RANGE(tenon_k_conv_s8_ref) {
  const tenon_conv_attrs *a = (const tenon_conv_attrs *)c->attrs;
  const tenon_requant *r = (const tenon_requant *)c->packed;
  const int32_t x_zero = r->x_zero, w_zero = r->w_zero;
  const tenon_tensor *w = &c->in[1];
  const int32_t *bias = (const int32_t *)c->in[2].data;
  const ptrdiff_t depth = w->dims[3];
  const tenon_window g =
      tenon_window_of(&c->in[0], &c->out[0], w->dims[1], w->dims[2],
                      a->stride.data, a->pad.data, a->dilation.data);
  const ptrdiff_t group = g.out_c / (ptrdiff_t)a->groups;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const int8_t *image =
        (const int8_t *)c->in[0].data + row / g.out_h * g.h * g.w * g.c;
    int8_t *y = (int8_t *)c->out[0].data + row * g.out_w * g.out_c;
    tenon_taps ty = tenon_window_rows(&g, row % g.out_h);
    for (ptrdiff_t ox = 0; ox < g.out_w; ++ox) {
      tenon_taps tx = tenon_window_columns(&g, ox);
      for (ptrdiff_t oc = 0; oc < g.out_c; ++oc) {
        const int8_t *from = image + oc / group * depth;
        const int8_t *weights =
            (const int8_t *)w->data + oc * g.kh * g.kw * depth;
        uint32_t acc = bias ? (uint32_t)bias[oc] : 0;
        for (ptrdiff_t ky = ty.begin; ky < ty.end; ++ky) {
          for (ptrdiff_t kx = tx.begin; kx < tx.end; ++kx) {
            const int8_t *p =
                from +
                ((ty.at + ky * g.dil_y) * g.w + tx.at + kx * g.dil_x) * g.c;
            const int8_t *q = weights + (ky * g.kw + kx) * depth;
            for (ptrdiff_t i = 0; i < depth; ++i)
              acc += (uint32_t)((p[i] - x_zero) * (q[i] - w_zero));
          }
        }
        *y++ = tenon_requant_s8_twice(r, (int32_t)acc, oc);
      }
    }
  }
  return TENON_OK;
}
