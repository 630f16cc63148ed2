// conv_f32s8_ref.c - convolution of floats with quantised weights, as LiteRT's
// dynamic-range CONV_2D.
//
// Every image is turned into integers with a scale of its own, into scratch. A
// range does that for the images it touches.
#include "kern/loop/window.h"
#include "kern/op/clamp.h"
#include "kern/product/conv.h"
#include "kern/product/hybrid.h"

TENON_KERNEL_RANGE(tenon_k_conv_f32s8_ref) {
  const tenon_conv_attrs *a = (const tenon_conv_attrs *)c->attrs;
  const tenon_limits_f32 m = tenon_limits_f32_of(a->lo, a->hi);
  const tenon_tensor *w = &c->in[1];
  const tenon_quant *scales = w->quant;
  const float *bias = (const float *)c->in[2].data;
  const ptrdiff_t depth = w->dims[3];
  const tenon_window g =
      tenon_window_of(&c->in[0], &c->out[0], w->dims[1], w->dims[2],
                      a->stride.data, a->pad.data, a->dilation.data);
  const ptrdiff_t group = g.out_c / (ptrdiff_t)a->groups;
  const ptrdiff_t size = g.h * g.w * g.c;
  int8_t *image = (int8_t *)c->scratch;
  tenon_hybrid h = {1.0f, 0};
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    float *y = (float *)c->out[0].data + row * g.out_w * g.out_c;
    tenon_taps ty = tenon_window_rows(&g, row % g.out_h);
    if (row == (ptrdiff_t)begin || row % g.out_h == 0)
      h = tenon_hybrid_quantize(
          (const float *)c->in[0].data + row / g.out_h * size, size,
          a->asymmetric, image);
    for (ptrdiff_t ox = 0; ox < g.out_w; ++ox) {
      tenon_taps tx = tenon_window_columns(&g, ox);
      for (ptrdiff_t oc = 0; oc < g.out_c; ++oc) {
        const int8_t *from = image + oc / group * depth;
        const int8_t *weights =
            (const int8_t *)w->data + oc * g.kh * g.kw * depth;
        uint32_t acc = 0;
        for (ptrdiff_t ky = ty.begin; ky < ty.end; ++ky) {
          for (ptrdiff_t kx = tx.begin; kx < tx.end; ++kx) {
            const int8_t *p =
                from +
                ((ty.at + ky * g.dil_y) * g.w + tx.at + kx * g.dil_x) * g.c;
            const int8_t *q = weights + (ky * g.kw + kx) * depth;
            for (ptrdiff_t i = 0; i < depth; ++i)
              acc += (uint32_t)((p[i] - h.zero) * q[i]);
          }
        }
        *y++ = tenon_limit_f32(
            tenon_hybrid_real(h, scales, oc, (int32_t)acc, bias), m);
      }
    }
  }
  return TENON_OK;
}
