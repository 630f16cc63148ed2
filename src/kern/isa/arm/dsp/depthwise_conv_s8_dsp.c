// depthwise_conv_s8_dsp.c - quantised depthwise convolution, four channels of a
// pixel at a time.
//
// A word has a tap of four channels, which are widened to int16 less the zero
// point; taps outside the image are left out. Of channels that are no multiple
// of four the last four are computed as a whole, some of them twice. Bit for
// bit what depthwise_conv_s8_ref.c computes.
#include "kern/isa/arm/dsp/dsp.h"
#include "kern/loop/window.h"

// Of a pixel; `next` is how far the weights of the next four channels are.
typedef struct depthwise_conv_s8_dsp_job {
  uint32_t minus;
  int32_t step, rows, line;
  int32_t next, columns, skip;
} depthwise_conv_s8_dsp_job;

// Weights, doubled: int16 of channels 0 and 2, then 1 and 3.
#define DEPTHWISE_CONV_S8_DSP_TAP(address) \
  "ldr r8, " address                       \
  "\n"                                     \
  "ldrd r10, r11, [r1], #8\n"              \
  "sxtab16 r9, r2, r8, ror #8\n"           \
  "sxtab16 r8, r2, r8\n"                   \
  "smlabb r4, r8, r10, r4\n"               \
  "smlatt r6, r8, r10, r6\n"               \
  "smlabb r5, r9, r11, r5\n"               \
  "smlatt r7, r9, r11, r7\n"
// A sum that is doubled, rounded twice (conv_s8_dsp.c).
#define DEPTHWISE_CONV_S8_DSP_STORED(v) \
  "ldm r0!, {r8, r9, r10, r11}\n"       \
  "add.w r8, r10, " v                   \
  ", asr #31\n"                         \
  "smmlar " v ", " v                    \
  ", r9, r8\n"                          \
  "asr.w " v ", " v                     \
  ", r11\n"                             \
  "ssat " v ", #8, " v                  \
  "\n"                                  \
  "strb " v ", [r1], #1\n"
// Fours of channels of a pixel: `row` has r0 at its first tap, r1 at weights,
// r3 the distance of taps, and leaves r0 at the next one.
#define DEPTHWISE_CONV_S8_DSP_FOURS(row) \
  "push {r4-r11, lr}\n"                                  \
  "push {r0, r1, r2, r3}\n"                              \
  "0:\n"                                                 \
  "ldr lr, [sp, #52]\n"                                  \
  "ldr r9, [sp, #8]\n"                                   \
  "ldm lr, {r2, r3, r12}\n"                              \
  "ldr lr, [lr, #12]\n"                                  \
  "ldr r4, [r9]\n"                                       \
  "ldr r5, [r9, #16]\n"                                  \
  "ldr r6, [r9, #32]\n"                                  \
  "ldr r7, [r9, #48]\n"                                  \
  "ldrd r0, r1, [sp]\n"                                  \
  "1:\n" row                                             \
  "subs r12, #1\n"                                       \
  "bgt 1b\n"                                             \
  "ldrd r0, r1, [sp, #8]\n"                              \
  DEPTHWISE_CONV_S8_DSP_STORED("r4")                     \
  DEPTHWISE_CONV_S8_DSP_STORED("r5")                     \
  DEPTHWISE_CONV_S8_DSP_STORED("r6")                     \
  DEPTHWISE_CONV_S8_DSP_STORED("r7")                     \
  "strd r0, r1, [sp, #8]\n"                              \
  "ldrd r4, r5, [sp, #52]\n"                             \
  "ldr r6, [r4, #16]\n"                                  \
  "ldrd r0, r1, [sp]\n"                                  \
  "adds r0, #4\n"                                        \
  "add r1, r6\n"                                         \
  "strd r0, r1, [sp]\n"                                  \
  "subs r5, #1\n"                                        \
  "str r5, [sp, #56]\n"                                  \
  "bne 0b\n"                                             \
  "add sp, #16\n"                                        \
  "pop {r4-r11, pc}\n"

// Windows of three columns that are all in the image.
TENON_ASM void depthwise_conv_s8_dsp_three(
    TENON_ARG const int8_t *x, TENON_ARG const int16_t *w,
    TENON_ARG const tenon_arm_channel *q, TENON_ARG int8_t *y,
    TENON_ARG const depthwise_conv_s8_dsp_job *job, TENON_ARG int32_t fours) {
  __asm__(DEPTHWISE_CONV_S8_DSP_FOURS(
      DEPTHWISE_CONV_S8_DSP_TAP("[r0]") DEPTHWISE_CONV_S8_DSP_TAP("[r0, r3]")
          DEPTHWISE_CONV_S8_DSP_TAP("[r0, r3, lsl #1]") "add r0, lr\n"));
}
// Any, also without a tap in the image; rows of weights are `skip` further, and
// `line` is from behind the last column.
TENON_ASM void depthwise_conv_s8_dsp_some(
    TENON_ARG const int8_t *x, TENON_ARG const int16_t *w,
    TENON_ARG const tenon_arm_channel *q, TENON_ARG int8_t *y,
    TENON_ARG const depthwise_conv_s8_dsp_job *job, TENON_ARG int32_t fours) {
  __asm__(DEPTHWISE_CONV_S8_DSP_FOURS(
      "cmp r12, #0\n"
      "ble 4f\n"
      "ldr lr, [sp, #52]\n"
      "ldr lr, [lr, #20]\n"
      "2:\n"
      "subs lr, #1\n"
      "blt 3f\n" DEPTHWISE_CONV_S8_DSP_TAP("[r0]") "add r0, r3\n"
                                                   "b 2b\n"
                                                   "3:\n"
                                                   "ldr lr, [sp, #52]\n"
                                                   "ldr r8, [lr, #24]\n"
                                                   "ldr lr, [lr, #12]\n"
                                                   "add r1, r8\n"
                                                   "add r0, lr\n"
                                                   "4:\n"));
}

typedef void depthwise_conv_s8_dsp_fn(const int8_t *, const int16_t *,
                                      const tenon_arm_channel *, int8_t *,
                                      const depthwise_conv_s8_dsp_job *,
                                      int32_t);

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_s8_dsp) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  const tenon_arm_channel *const q =
      (const tenon_arm_channel *)tenon_arm_rest(g);
  const int32_t depth = g->c, fours = depth >> 2, taps = g->kh * g->kw;
  const int16_t *const weights = (const int16_t *)(q + (depth + 3) / 4 * 4);
  const int32_t line = g->w * depth * g->dil_y;
  int8_t *y = (int8_t *)c->out[0].data + (int32_t)begin * g->out_w * depth;
  depthwise_conv_s8_dsp_job job = {(uint32_t)(-g->x_zero & 0xFFFF) * 0x10001u,
                                   depth * g->dil_x,
                                   0,
                                   0,
                                   taps * 8,
                                   0,
                                   0};
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int8_t *image =
        (const int8_t *)c->in[0].data + row / g->out_h * g->h * g->w * depth;
    const tenon_taps ty = tenon_window_taps(row % g->out_h, g->down, g->top,
                                            g->dil_y, g->kh, g->h);
    job.rows = (int32_t)(ty.end - ty.begin);
    image += (ty.at + ty.begin * g->dil_y) * g->w * depth;
    for (int32_t ox = 0; ox < g->out_w; ++ox, y += depth) {
      const tenon_taps tx =
          tenon_window_taps(ox, g->right, g->left, g->dil_x, g->kw, g->w);
      const int8_t *x = image + (tx.at + tx.begin * g->dil_x) * depth;
      const int16_t *w = weights + (ty.begin * g->kw + tx.begin) * 4;
      job.columns = (int32_t)(tx.end - tx.begin);
      const bool is_three = job.columns == 3 && g->kw == 3 && job.rows > 0;
      job.line = is_three ? line : line - job.columns * job.step;
      job.skip = (g->kw - job.columns) * 8;
      depthwise_conv_s8_dsp_fn *const run =
          is_three ? depthwise_conv_s8_dsp_three : depthwise_conv_s8_dsp_some;
      run(x, w, q, y, &job, fours);
      if (depth & 3)
        run(x + depth - 4, w + fours * taps * 4, q + fours * 4, y + depth - 4,
            &job, 1);
    }
  }
  return TENON_OK;
}
