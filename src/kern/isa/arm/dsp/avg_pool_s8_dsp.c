// avg_pool_s8_dsp.c - means of windows over quantised images, four channels at
// a time; of channels that are no multiple of four the last four. Bit for bit
// what avg_pool_s8_ref.c computes.
#include "kern/isa/arm/dsp/sums_dsp.h"
#include "kern/isa/arm/means.h"
#include "kern/op/pooling.h"

// Four channels of a window of at most 255 taps, whose sums fit into int16.
static void avg_pool_s8_dsp_four(const int8_t *p, int32_t line, int32_t rows,
                                 int32_t columns, int32_t step, int32_t mult,
                                 const tenon_pool_s8 *limits, int8_t *y) {
  uint32_t even = 0, odd = 0;
  for (; rows > 0; --rows, p += line) {
    const int8_t *tap = p;
    for (int32_t left = columns; left > 0; --left, tap += step) {
      const uint32_t x = tenon_dsp_load(tap);
      even = tenon_dsp_even(even, x);
      odd = tenon_dsp_odd(odd, x);
    }
  }
  const int32_t sums[4] = {(int16_t)even, (int16_t)odd, (int32_t)even >> 16,
                           (int32_t)odd >> 16};
  for (int32_t k = 0; k < 4; ++k) {
    const int32_t v = tenon_dsp_smmulr(sums[k] * 4, mult);
    y[k] = (int8_t)tenon_clamp_s32(v, limits->lo, limits->hi);
  }
}

TENON_KERNEL_RANGE(tenon_k_avg_pool_s8_dsp) {
  const tenon_pool_s8 *limits = (const tenon_pool_s8 *)c->packed;
  const tenon_window g = tenon_pool_window(c);
  const int32_t depth = (int32_t)g.c, line = (int32_t)(g.w * g.c);
  int32_t count = -1, mult = 0;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const int8_t *image =
        (const int8_t *)c->in[0].data + row / g.out_h * g.h * line;
    int8_t *y = (int8_t *)c->out[0].data + row * g.out_w * depth;
    const tenon_taps ty = tenon_window_rows(&g, row % g.out_h);
    const int32_t rows = (int32_t)(ty.end - ty.begin);
    image += (ty.at + ty.begin) * line;
    for (ptrdiff_t ox = 0; ox < g.out_w; ++ox, y += depth) {
      const tenon_taps tx = tenon_window_columns(&g, ox);
      const int32_t columns = (int32_t)(tx.end - tx.begin);
      const int8_t *p = image + (tx.at + tx.begin) * depth;
      if (rows * columns != count) {
        count = rows * columns;
        mult = tenon_arm_over(count);
      }
      for (int32_t i = 0; i < depth; i += 4) {
        int32_t sums[4];
        if (i > depth - 4) i = depth - 4;
        if (count <= 255) {
          avg_pool_s8_dsp_four(p + i, line, rows, columns, depth, mult, limits,
                               y + i);
          continue;
        }
        tenon_dsp_sums(p + i, line, rows, columns, depth, sums);
        for (int32_t k = 0; k < 4; ++k) {
          const int32_t v = tenon_pool_mean(sums[k], count);
          y[i + k] = (int8_t)tenon_clamp_s32(v, limits->lo, limits->hi);
        }
      }
    }
  }
  return TENON_OK;
}
