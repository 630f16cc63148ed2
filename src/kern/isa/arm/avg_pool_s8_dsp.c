// avg_pool_s8_dsp.c - means of windows over quantised images, four channels at
// a time; of channels that are no multiple of four the last four. Bit for bit
// what avg_pool_s8_ref.c computes.
#include "kern/isa/arm/sums_dsp.h"
#include "kern/pooling.h"

TENON_KERNEL_RANGE(tenon_k_avg_pool_s8_dsp) {
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
      const int32_t rows = (int32_t)(ty.end - ty.begin);
      const int32_t columns = (int32_t)(tx.end - tx.begin);
      const int8_t *p = image + (tx.at + tx.begin) * depth;
      for (int32_t i = 0; i < depth; i += 4) {
        int32_t sums[4];
        if (i > depth - 4) i = depth - 4;
        tenon_dsp_sums(p + i, line, rows, columns, depth, sums);
        for (int32_t k = 0; k < 4; ++k) {
          const int32_t v = tenon_pool_mean(sums[k], rows * columns);
          y[i + k] = (int8_t)tenon_clamp_s32(v, limits->lo, limits->hi);
        }
      }
    }
  }
  return TENON_OK;
}
