// avg_pool_s8_mve.c - means of windows over quantised images, eight channels at
// a time. Bit for bit what avg_pool_s8_ref.c computes.
#include "kern/isa/arm/mve.h"
#include "kern/pooling.h"

// Of eight channels, `lanes` of which there are: rows of taps, none of which
// has more than 255, as so many bytes fit into int16.
static void avg_pool_s8_mve_sums(const int8_t *p, int32_t line, int32_t rows,
                                 int32_t columns, int32_t step, int32_t lanes,
                                 int32_t *sums) {
  int16x8_t sum = vdupq_n_s16(0);
  int16_t part[8];
  int32_t room = 255;
  memset(sums, 0, 8 * sizeof *sums);
  for (; rows > 0; --rows, p += line) {
    const int8_t *tap = p;
    if (room < columns) {
      vst1q_s16(part, sum);
      for (int32_t k = 0; k < 8; ++k)
        sums[k] += part[k];
      sum = vdupq_n_s16(0);
      room = 255;
    }
    room -= columns;
    if (columns > 0)
      __asm__ volatile(
          "vctp.16 %[lanes]\n"
          "dls lr, %[n]\n"
          "1:\n"
          "vpst\n"
          "vldrbt.s16 q0, [%[p]]\n"
          "add %[p], %[step]\n"
          "vadd.i16 %q[sum], %q[sum], q0\n"
          "le lr, 1b"
          : [p] "+l"(tap), [sum] "+w"(sum)
          : [step] "r"(step), [n] "r"(columns), [lanes] "r"(lanes)
          : "lr", "q0", "memory");
  }
  vst1q_s16(part, sum);
  for (int32_t k = 0; k < 8; ++k)
    sums[k] += part[k];
}

TENON_KERNEL_RANGE(tenon_k_avg_pool_s8_mve) {
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
      for (int32_t i = 0; i < depth; i += 8) {
        const int32_t lanes = depth - i < 8 ? depth - i : 8;
        int32_t sums[8];
        avg_pool_s8_mve_sums(p + i, line, rows, columns, depth, lanes, sums);
        for (int32_t k = 0; k < lanes; ++k) {
          const int32_t v = tenon_pool_mean(sums[k], rows * columns);
          y[i + k] = (int8_t)tenon_clamp_s32(v, limits->lo, limits->hi);
        }
      }
    }
  }
  return TENON_OK;
}
