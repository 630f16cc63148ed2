// avg_pool_s8_mve.c - means of windows over quantised images, eight channels at
// a time. Bit for bit what avg_pool_s8_ref.c computes.
#include "kern/isa/arm/means.h"
#include "kern/isa/arm/mve/sums_mve.h"
#include "kern/op/pooling.h"

// Channels of a window of one to 255 taps, whose sums fit into int16.
TENON_MVE void avg_pool_s8_mve_eight(const int8_t *p, int32_t line,
                                     int32_t rows, int32_t columns,
                                     int32_t step, int32_t lanes, int32_t mult,
                                     const tenon_pool_s8 *limits, int8_t *y) {
  int16x8_t sum = vdupq_n_s16(0);
  const int8_t *tap;
  // In registers of their own: as many rows as columns would share one.
  __asm__ volatile(
      "vctp.16 %[lanes]\n"
      "0:\n"
      "mov %[tap], %[p]\n"
      "dls lr, %[n]\n"
      "1:\n"
      "vpst\n"
      "vldrbt.s16 q0, [%[tap]]\n"
      "add %[tap], %[step]\n"
      "vadd.i16 %q[sum], %q[sum], q0\n"
      "le lr, 1b\n"
      "add %[p], %[line]\n"
      "subs %[rows], #1\n"
      "bne 0b"
      : [p] "+&l"(p), [rows] "+&l"(rows), [tap] "=&l"(tap), [sum] "+w"(sum)
      : [step] "r"(step), [n] "r"(columns), [line] "r"(line), [lanes] "r"(lanes)
      : "lr", "q0", "cc", "memory");
  // Twice the sum with half of the factor, whose product is doubled.
  const int32x4_t even =
      vqrdmulhq_n_s32(vshlq_n_s32(vmovlbq_s16(sum), 1), mult);
  const int32x4_t odd = vqrdmulhq_n_s32(vshlq_n_s32(vmovltq_s16(sum), 1), mult);
  sum = vmovntq_s32(vmovnbq_s32(sum, even), odd);
  sum = vmaxq_s16(sum, vdupq_n_s16((int16_t)limits->lo));
  sum = vminq_s16(sum, vdupq_n_s16((int16_t)limits->hi));
  vstrbq_p_s16(y, sum, vctp16q((uint32_t)lanes));
}

TENON_KERNEL_RANGE(tenon_k_avg_pool_s8_mve) {
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
      for (int32_t i = 0; i < depth; i += 8) {
        const int32_t lanes = depth - i < 8 ? depth - i : 8;
        int32_t sums[8];
        if (count > 0 && count <= 255) {
          avg_pool_s8_mve_eight(p + i, line, rows, columns, depth, lanes, mult,
                                limits, y + i);
          continue;
        }
        tenon_mve_sums(p + i, line, rows, columns, depth, lanes, sums);
        for (int32_t k = 0; k < lanes; ++k) {
          const int32_t v = tenon_pool_mean(sums[k], count);
          y[i + k] = (int8_t)tenon_clamp_s32(v, limits->lo, limits->hi);
        }
      }
    }
  }
  return TENON_OK;
}
