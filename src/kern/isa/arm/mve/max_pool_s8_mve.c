// max_pool_s8_mve.c - maxima of windows over quantised images, 16 channels at a
// time. Bit for bit what max_pool_s8_ref.c computes.
#include "kern/isa/arm/mve/mve.h"
#include "kern/op/pooling.h"

TENON_KERNEL_RANGE(tenon_k_max_pool_s8_mve) {
  const tenon_pool_s8 *limits = (const tenon_pool_s8 *)c->packed;
  const tenon_window g = tenon_pool_window(c);
  const int32_t depth = (int32_t)g.c, line = (int32_t)(g.w * g.c);
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const int8_t *image =
        (const int8_t *)c->in[0].data + row / g.out_h * g.h * line;
    int8_t *y = (int8_t *)c->out[0].data + row * g.out_w * depth;
    const tenon_taps ty = tenon_window_rows(&g, row % g.out_h);
    image += (ty.at + ty.begin) * line;
    for (ptrdiff_t ox = 0; ox < g.out_w; ++ox, y += depth) {
      const tenon_taps tx = tenon_window_columns(&g, ox);
      const int32_t columns = (int32_t)(tx.end - tx.begin);
      for (int32_t i = 0; i < depth; i += 16) {
        const mve_pred16_t lanes = vctp8q((uint32_t)(depth - i));
        int8x16_t most = vdupq_n_s8((int8_t)limits->lo);
        const int8_t *p = image + (tx.at + tx.begin) * depth + i;
        for (int32_t ky = (int32_t)(ty.end - ty.begin); ky > 0; --ky) {
          const int8_t *tap = p;
          for (int32_t kx = columns; kx > 0; --kx, tap += depth)
            most = vmaxq_s8(most, vldrbq_z_s8(tap, lanes));
          p += line;
        }
        most = vminq_s8(most, vdupq_n_s8((int8_t)limits->hi));
        vstrbq_p_s8(y + i, most, lanes);
      }
    }
  }
  return TENON_OK;
}
