// avg_pool_s8_dsp.c - means of windows over quantised images, four channels at
// a time; of channels that are no multiple of four the last four. Bit for bit
// what avg_pool_s8_ref.c computes.
#include "kern/isa/arm/dsp.h"
#include "kern/pooling.h"

// What has been added up as int16: bytes 0 and 2 of a word, 1 and 3.
TENON_ARM void avg_pool_s8_dsp_take(int32_t *sums, uint32_t even,
                                    uint32_t odd) {
  sums[0] += (int16_t)even;
  sums[1] += (int16_t)odd;
  sums[2] += (int32_t)even >> 16;
  sums[3] += (int32_t)odd >> 16;
}

// Over rows of taps, none of which has more than 255: so many bytes fit into
// int16.
static void avg_pool_s8_dsp_sums(const int8_t *p, int32_t line, int32_t rows,
                                 int32_t columns, int32_t step, int32_t *sums) {
  uint32_t even = 0, odd = 0;
  int32_t room = 255;
  sums[0] = sums[1] = sums[2] = sums[3] = 0;
  for (; rows > 0; --rows, p += line) {
    const int8_t *tap = p;
    int32_t left = columns;
    if (room < left) {
      avg_pool_s8_dsp_take(sums, even, odd);
      even = odd = 0;
      room = 255;
    }
    room -= left;
    for (; left > 1; left -= 2, tap += 2 * step) {
      const uint32_t x = tenon_dsp_load(tap), y = tenon_dsp_load(tap + step);
      even = tenon_dsp_even(tenon_dsp_even(even, x), y);
      odd = tenon_dsp_odd(tenon_dsp_odd(odd, x), y);
    }
    if (left) {
      const uint32_t x = tenon_dsp_load(tap);
      even = tenon_dsp_even(even, x);
      odd = tenon_dsp_odd(odd, x);
    }
  }
  avg_pool_s8_dsp_take(sums, even, odd);
}

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
        avg_pool_s8_dsp_sums(p + i, line, rows, columns, depth, sums);
        for (int32_t k = 0; k < 4; ++k) {
          const int32_t v = tenon_pool_mean(sums[k], rows * columns);
          y[i + k] = (int8_t)tenon_clamp_s32(v, limits->lo, limits->hi);
        }
      }
    }
  }
  return TENON_OK;
}
