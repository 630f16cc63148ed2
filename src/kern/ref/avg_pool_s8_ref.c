// avg_pool_s8_ref.c - mean over a window of stored values, halves away from
// zero, as LiteRT's reference; operand and result share scale and zero point.
//
// Scratch holds the 32-bit sums of one output pixel.
#include "kern/fixed.h"
#include "kern/pooling.h"

TENON_KERNEL_RANGE(tenon_k_avg_pool_s8_ref) {
  const tenon_pool_s8 *limits = (const tenon_pool_s8 *)c->packed;
  const tenon_window g = tenon_pool_window(c);
  int32_t *sum = (int32_t *)c->scratch;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const int8_t *image =
        (const int8_t *)c->in[0].data + row / g.out_h * g.h * g.w * g.c;
    int8_t *y = (int8_t *)c->out[0].data + row * g.out_w * g.c;
    tenon_taps ty = tenon_window_rows(&g, row % g.out_h);
    for (ptrdiff_t ox = 0; ox < g.out_w; ++ox, y += g.c) {
      tenon_taps tx = tenon_window_columns(&g, ox);
      int32_t count = (int32_t)((ty.end - ty.begin) * (tx.end - tx.begin));
      for (ptrdiff_t i = 0; i < g.c; ++i)
        sum[i] = 0;
      for (ptrdiff_t ky = ty.begin; ky < ty.end; ++ky) {
        for (ptrdiff_t kx = tx.begin; kx < tx.end; ++kx) {
          const int8_t *p = image + ((ty.at + ky) * g.w + tx.at + kx) * g.c;
          for (ptrdiff_t i = 0; i < g.c; ++i)
            sum[i] += p[i];
        }
      }
      for (ptrdiff_t i = 0; i < g.c; ++i) {
        int32_t half = sum[i] > 0 ? count / 2 : -(count / 2);
        int32_t mean = count ? (sum[i] + half) / count : 0;
        y[i] = (int8_t)tenon_clamp_s32(mean, limits->lo, limits->hi);
      }
    }
  }
  return TENON_OK;
}
