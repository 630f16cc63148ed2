// avg_pool_f32_ref.c - mean over a window, in floats; padding does not count.
//
// The channels of an output pixel are summed where they will stand.
#include "kern/op/clamp.h"
#include "kern/op/pooling.h"

TENON_KERNEL_RANGE(tenon_k_avg_pool_f32_ref) {
  const tenon_pool_attrs *a = (const tenon_pool_attrs *)c->attrs;
  const tenon_limits_f32 m = tenon_limits_f32_of(a->lo, a->hi);
  const tenon_window g = tenon_pool_window(c);
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const float *image =
        (const float *)c->in[0].data + row / g.out_h * g.h * g.w * g.c;
    float *y = (float *)c->out[0].data + row * g.out_w * g.c;
    tenon_taps ty = tenon_window_rows(&g, row % g.out_h);
    for (ptrdiff_t ox = 0; ox < g.out_w; ++ox, y += g.c) {
      tenon_taps tx = tenon_window_columns(&g, ox);
      ptrdiff_t count = (ty.end - ty.begin) * (tx.end - tx.begin);
      for (ptrdiff_t i = 0; i < g.c; ++i)
        y[i] = 0.0f;
      for (ptrdiff_t ky = ty.begin; ky < ty.end; ++ky) {
        for (ptrdiff_t kx = tx.begin; kx < tx.end; ++kx) {
          const float *p = image + ((ty.at + ky) * g.w + tx.at + kx) * g.c;
          for (ptrdiff_t i = 0; i < g.c; ++i)
            y[i] += p[i];
        }
      }
      for (ptrdiff_t i = 0; i < g.c; ++i)
        y[i] = tenon_limit_f32(count ? y[i] / (float)count : 0.0f, m);
    }
  }
  return TENON_OK;
}
