// conv_f32_ref.c - convolution in floats, tap by tap.
//
// Every output is one chain of fused multiply-adds over kh, kw, ic, begun at
// zero, with bias, scale and shift behind it: the order that every other kernel
// keeps.
#include <math.h>

#include "kern/loop/window.h"
#include "kern/op/clamp.h"
#include "kern/product/conv.h"

TENON_KERNEL_RANGE(tenon_k_conv_f32_ref) {
  const tenon_conv_attrs *a = (const tenon_conv_attrs *)c->attrs;
  const tenon_limits_f32 m = tenon_limits_f32_of(a->lo, a->hi);
  const tenon_tensor *w = &c->in[1];
  const tenon_conv_tail tail = tenon_conv_tail_of(c);
  const ptrdiff_t depth = w->dims[3];
  const tenon_window g =
      tenon_window_of(&c->in[0], &c->out[0], w->dims[1], w->dims[2],
                      a->stride.data, a->pad.data, a->dilation.data);
  const ptrdiff_t group = g.out_c / (ptrdiff_t)a->groups;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const float *image =
        (const float *)c->in[0].data + row / g.out_h * g.h * g.w * g.c;
    float *y = (float *)c->out[0].data + row * g.out_w * g.out_c;
    tenon_taps ty = tenon_window_rows(&g, row % g.out_h);
    for (ptrdiff_t ox = 0; ox < g.out_w; ++ox) {
      tenon_taps tx = tenon_window_columns(&g, ox);
      for (ptrdiff_t oc = 0; oc < g.out_c; ++oc) {
        const float *from = image + oc / group * depth;
        const float *weights =
            (const float *)w->data + oc * g.kh * g.kw * depth;
        float acc = 0.0f;
        for (ptrdiff_t ky = ty.begin; ky < ty.end; ++ky) {
          for (ptrdiff_t kx = tx.begin; kx < tx.end; ++kx) {
            const float *p =
                from +
                ((ty.at + ky * g.dil_y) * g.w + tx.at + kx * g.dil_x) * g.c;
            const float *q = weights + (ky * g.kw + kx) * depth;
            for (ptrdiff_t i = 0; i < depth; ++i)
              acc = fmaf(p[i], q[i], acc);
          }
        }
        *y++ = tenon_limit_f32(tenon_conv_finish_f32(&tail, acc, oc), m);
      }
    }
  }
  return TENON_OK;
}
