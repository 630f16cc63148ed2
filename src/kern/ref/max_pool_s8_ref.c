// max_pool_s8_ref.c - maximum over a window of stored values; operand and
// result share scale and zero point.
#include "kern/fixed.h"
#include "kern/pooling.h"

TENON_KERNEL_RANGE(tenon_k_max_pool_s8_ref) {
  const tenon_pool_s8 *limits = (const tenon_pool_s8 *)c->packed;
  const tenon_window g = tenon_pool_window(c);
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const int8_t *image =
        (const int8_t *)c->in[0].data + row / g.out_h * g.h * g.w * g.c;
    int8_t *y = (int8_t *)c->out[0].data + row * g.out_w * g.c;
    tenon_taps ty = tenon_window_rows(&g, row % g.out_h);
    for (ptrdiff_t ox = 0; ox < g.out_w; ++ox, y += g.c) {
      tenon_taps tx = tenon_window_columns(&g, ox);
      for (ptrdiff_t i = 0; i < g.c; ++i)
        y[i] = INT8_MIN;
      for (ptrdiff_t ky = ty.begin; ky < ty.end; ++ky) {
        for (ptrdiff_t kx = tx.begin; kx < tx.end; ++kx) {
          const int8_t *p = image + ((ty.at + ky) * g.w + tx.at + kx) * g.c;
          for (ptrdiff_t i = 0; i < g.c; ++i)
            y[i] = p[i] > y[i] ? p[i] : y[i];
        }
      }
      for (ptrdiff_t i = 0; i < g.c; ++i)
        y[i] = (int8_t)tenon_clamp_s32(y[i], limits->lo, limits->hi);
    }
  }
  return TENON_OK;
}
