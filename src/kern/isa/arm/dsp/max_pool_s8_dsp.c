// max_pool_s8_dsp.c - maxima of windows over quantised images, four channels at
// a time; of channels that are no multiple of four the last four. Bit for bit
// what max_pool_s8_ref.c computes.
#include "kern/isa/arm/dsp/dsp.h"
#include "kern/op/pooling.h"

TENON_KERNEL_RANGE(tenon_k_max_pool_s8_dsp) {
  const tenon_pool_s8 *limits = (const tenon_pool_s8 *)c->packed;
  const uint32_t lo = (uint32_t)(limits->lo & 0xFF) * 0x1010101u;
  const uint32_t hi = (uint32_t)(limits->hi & 0xFF) * 0x1010101u;
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
      for (int32_t i = 0; i < depth; i += 4) {
        uint32_t most = lo;
        if (i > depth - 4) i = depth - 4;
        const int8_t *p = image + (tx.at + tx.begin) * depth + i;
        for (int32_t ky = 0; ky < rows; ++ky, p += line) {
          const int8_t *tap = p;
          for (int32_t kx = columns; kx > 0; --kx, tap += depth)
            most = tenon_dsp_max(tenon_dsp_load(tap), most);
        }
        most = tenon_dsp_min(most, hi);
        memcpy(y + i, &most, 4);
      }
    }
  }
  return TENON_OK;
}
