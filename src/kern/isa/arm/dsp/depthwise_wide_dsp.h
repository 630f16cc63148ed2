// kern/isa/arm/dsp/depthwise_wide_dsp.h - depthwise convolution of 16-bit
// numbers with 8-bit weights, four results at a time; of what is left, one.
// Sums of so few taps fit into 32 bits.
//
// Packed: a tenon_arm_window, what is known of each result, weights as int16:
// tap by tap of four results, then of each of the others.
#ifndef TENON_KERN_ISA_ARM_DEPTHWISE_WIDE_DSP_H
#define TENON_KERN_ISA_ARM_DEPTHWISE_WIDE_DSP_H

#include "kern/isa/arm/dsp/dsp.h"
#include "kern/loop/window.h"

// Taps in the image, one at least. Steps are in bytes, those to the next row
// from behind the last tap.
typedef struct tenon_depthwise_wide_taps {
  int32_t rows, columns, x_step, x_next, w_next;  // of one channel, w_next
} tenon_depthwise_wide_taps;

// Of four channels; w_next is of four, too.
TENON_ASM void tenon_depthwise_wide_four(
    TENON_ARG const int16_t *x, TENON_ARG const int16_t *w,
    TENON_ARG const tenon_depthwise_wide_taps *taps, TENON_ARG int32_t *sums) {
  __asm__(
      "push {r3-r11, lr}\n"
      "movs r4, #0\n"
      "movs r5, #0\n"
      "movs r6, #0\n"
      "movs r7, #0\n"
      "ldr r3, [r2]\n"
      "ldr r12, [r2, #8]\n"
      "1:\n"
      "ldr lr, [r2, #4]\n"
      "2:\n"
      "ldr r8, [r0]\n"
      "ldr r9, [r0, #4]\n"
      "add r0, r12\n"
      "ldrd r10, r11, [r1], #8\n"
      "smlabb r4, r8, r10, r4\n"
      "smlatt r5, r8, r10, r5\n"
      "smlabb r6, r9, r11, r6\n"
      "smlatt r7, r9, r11, r7\n"
      "subs lr, #1\n"
      "bne 2b\n"
      "ldr lr, [r2, #12]\n"
      "add r0, lr\n"
      "ldr lr, [r2, #16]\n"
      "add r1, r1, lr, lsl #2\n"
      "subs r3, #1\n"
      "bne 1b\n"
      "ldr r3, [sp]\n"
      "stm r3, {r4-r7}\n"
      "pop {r3-r11, pc}\n");
}

static __attribute__((unused)) int32_t tenon_depthwise_wide_one(
    const int16_t *x, const int16_t *w, const tenon_depthwise_wide_taps *taps) {
  int32_t sum = 0;
  for (int32_t ky = taps->rows; ky > 0; --ky) {
    for (int32_t kx = taps->columns; kx > 0; --kx, x += taps->x_step / 2)
      sum += *x * *w++;
    x += taps->x_next / 2;
    w += taps->w_next / 2;
  }
  return sum;
}

// Of four results from number i on, of channels that have `times` each.
TENON_ARM void tenon_depthwise_wide_several(
    const int16_t *x, const int16_t *w, const tenon_depthwise_wide_taps *taps,
    int32_t i, int32_t times, int32_t *sums) {
  const int32_t at = i / times, b = (i + 1) / times - at;
  const int32_t d = (i + 2) / times - at, e = (i + 3) / times - at;
  int32_t sa = 0, sb = 0, sd = 0, se = 0;
  x += at;
  for (int32_t ky = taps->rows; ky > 0; --ky) {
    for (int32_t kx = taps->columns; kx > 0; --kx, x += taps->x_step / 2) {
      sa += x[0] * w[0];
      sb += x[b] * w[1];
      sd += x[d] * w[2];
      se += x[e] * w[3];
      w += 4;
    }
    x += taps->x_next / 2;
    w += taps->w_next / 2 * 4;
  }
  sums[0] = sa, sums[1] = sb, sums[2] = sd, sums[3] = se;
}

// Of a channel four words are known, by which `stored` brings a sum to the
// scale of the result.
typedef int16_t tenon_depthwise_wide_stored(const tenon_arm_window *g,
                                            const int32_t *q, int32_t sum);

TENON_ARM tenon_status
tenon_depthwise_wide(const tenon_call *c, int64_t begin, int64_t end,
                     tenon_depthwise_wide_stored *stored) {
  const tenon_arm_window *p = (const tenon_arm_window *)c->packed;
  const int32_t *q = (const int32_t *)tenon_arm_rest(p);
  const int32_t out_c = p->out_c, times = out_c / p->c;
  const int16_t *weights = (const int16_t *)(q + 4 * out_c);
  const int32_t size = p->kh * p->kw, fours = out_c / 4 * 4;
  int16_t *y = (int16_t *)c->out[0].data + (int32_t)begin * p->out_w * out_c;
  tenon_depthwise_wide_taps t;
  t.x_step = p->dil_x * p->c * 2;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int16_t *image =
        (const int16_t *)c->in[0].data + row / p->out_h * p->h * p->w * p->c;
    const tenon_taps ty = tenon_window_taps(row % p->out_h, p->down, p->top,
                                            p->dil_y, p->kh, p->h);
    for (int32_t ox = 0; ox < p->out_w; ++ox, y += out_c) {
      const tenon_taps tx =
          tenon_window_taps(ox, p->right, p->left, p->dil_x, p->kw, p->w);
      const int16_t *x = image + ((ty.at + ty.begin * p->dil_y) * p->w + tx.at +
                                  tx.begin * p->dil_x) *
                                     p->c;
      const int16_t *w = weights;
      const int32_t first = (int32_t)(ty.begin * p->kw + tx.begin);
      t.columns = (int32_t)(tx.end - tx.begin);
      t.rows = t.columns > 0 ? (int32_t)(ty.end - ty.begin) : 0;
      t.x_next = p->dil_y * p->w * p->c * 2 - t.columns * t.x_step;
      t.w_next = (p->kw - t.columns) * 2;
      for (int32_t i = 0; i < fours; i += 4, w += 4 * size) {
        int32_t sums[4] = {0, 0, 0, 0};
        if (times > 1)
          tenon_depthwise_wide_several(x, w + 4 * first, &t, i, times, sums);
        else if (t.rows > 0)
          tenon_depthwise_wide_four(x + i, w + 4 * first, &t, sums);
        for (int32_t j = 0; j < 4; ++j)
          y[i + j] = stored(p, q + 4 * (i + j), sums[j]);
      }
      for (int32_t i = fours; i < out_c; ++i, w += size) {
        const int32_t sum =
            tenon_depthwise_wide_one(x + i / times, w + first, &t);
        y[i] = stored(p, q + 4 * i, sum);
      }
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_ISA_ARM_DEPTHWISE_WIDE_DSP_H
