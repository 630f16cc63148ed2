// max_pool_f32_ref.c - maximum over a window, in floats.
#include "kern/op/clamp.h"
#include "kern/op/pooling.h"

TENON_KERNEL_RANGE(tenon_k_max_pool_f32_ref) {
  const tenon_max_pool_attrs *a = (const tenon_max_pool_attrs *)c->attrs;
  const tenon_limits_f32 m = tenon_limits_f32_of(a->lo, a->hi);
  const tenon_window g = tenon_pool_window(c);
  const float lowest = tenon_f32_of_bits(TENON_MAX_POOL_START(a->skip_nan));
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const float *image =
        (const float *)c->in[0].data + row / g.out_h * g.h * g.w * g.c;
    float *y = (float *)c->out[0].data + row * g.out_w * g.c;
    tenon_taps ty = tenon_window_rows(&g, row % g.out_h);
    for (ptrdiff_t ox = 0; ox < g.out_w; ++ox, y += g.c) {
      tenon_taps tx = tenon_window_columns(&g, ox);
      for (ptrdiff_t i = 0; i < g.c; ++i)
        y[i] = lowest;
      for (ptrdiff_t ky = ty.begin; ky < ty.end; ++ky) {
        for (ptrdiff_t kx = tx.begin; kx < tx.end; ++kx) {
          const float *p = image + ((ty.at + ky) * g.w + tx.at + kx) * g.c;
          // A NaN wins and stays, as in PyTorch, or is passed over, as in
          // LiteRT.
          for (ptrdiff_t i = 0; i < g.c; ++i) {
            const float x = p[i], most = x > y[i] ? x : y[i];
            y[i] = x != x && !a->skip_nan ? x : most;
          }
        }
      }
      for (ptrdiff_t i = 0; i < g.c; ++i)
        y[i] = tenon_limit_f32(y[i], m);
    }
  }
  return TENON_OK;
}
