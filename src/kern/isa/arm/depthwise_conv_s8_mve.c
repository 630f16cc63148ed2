// depthwise_conv_s8_mve.c - quantised depthwise convolution with a window of at
// most 4 by 4 taps, four channels of a pixel at a time.
//
// Sixteen channels of a piece of a row are brought into an order in which the
// taps of one channel are neighbours: for each column of the image and channel
// the four rows of the window, in a word. Four words are a window, which is
// multiplied in one instruction. What is outside the image is the zero point,
// whose share is part of the biases. Of a last block of channels that has less
// than four the last four are computed. Bit for bit what
// depthwise_conv_s8_ref.c computes.
#include "kern/isa/arm/mve.h"
#include "tenon/tensor.h"

// One column behind the other from `x` on: `count` of them, of `lanes`
// channels. `rows` are where column 0 has the channels; `steps` from column to
// column, 0 for a row that is not in the image.
static void depthwise_conv_s8_mve_order(const tenon_arm_window *g,
                                        const int8_t *const *rows,
                                        const int32_t *steps, int32_t x,
                                        int32_t count, int32_t lanes,
                                        int8_t *to) {
  const int32_t before = x < 0 ? (-x < count ? -x : count) : 0;
  int32_t within = (x + count < g->w ? x + count : g->w) - (x + before);
  if (within < 0) within = 0;
  memset(to, g->x_zero, (size_t)(before * 64));
  memset(to + (before + within) * 64, g->x_zero,
         (size_t)((count - before - within) * 64));
  to += before * 64;
  x += before;
  if (within == 0) return;
  const int8_t *a = rows[0] + x * steps[0], *b = rows[1] + x * steps[1];
  const int8_t *d = rows[2] + x * steps[2], *e = rows[3] + x * steps[3];
  __asm__ volatile(
      "vmsr p0, %[lanes]\n"
      "dls lr, %[n]\n"
      "1:\n"
      "vpstttt\n"
      "vldrbt.8 q0, [%[a]]\n"
      "vldrbt.8 q1, [%[b]]\n"
      "vldrbt.8 q2, [%[d]]\n"
      "vldrbt.8 q3, [%[e]]\n"
      "add %[a], %[step_a]\n"
      "add %[b], %[step_b]\n"
      "add %[d], %[step_d]\n"
      "add %[e], %[step_e]\n"
      "vst40.8 {q0, q1, q2, q3}, [%[to]]\n"
      "vst41.8 {q0, q1, q2, q3}, [%[to]]\n"
      "vst42.8 {q0, q1, q2, q3}, [%[to]]\n"
      "vst43.8 {q0, q1, q2, q3}, [%[to]]!\n"
      "le lr, 1b"
      : [a] "+r"(a), [b] "+r"(b), [d] "+r"(d), [e] "+r"(e), [to] "+r"(to)
      : [step_a] "r"(steps[0]), [step_b] "r"(steps[1]), [step_d] "r"(steps[2]),
        [step_e] "r"(steps[3]), [n] "r"(within), [lanes] "r"((1 << lanes) - 1)
      : "lr", "q0", "q1", "q2", "q3", "memory");
}

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_s8_mve) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  const int32_t depth = g->c, line = g->w * depth;
  const int32_t reach = (g->kw - 1) * g->dil_x + 1;
  int8_t *const ordered = (int8_t *)c->scratch;
  int8_t *const border = ordered + ((g->how - 1) * g->right + reach) * 64;
  int32_t words[4];
  for (int32_t i = 0; i < 4; ++i)
    words[i] = (i < g->kw ? i : 0) * g->dil_x * 64;
  memset(border, g->x_zero, 16);
  int8_t *y = (int8_t *)c->out[0].data + (int32_t)begin * g->out_w * depth;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int8_t *image =
        (const int8_t *)c->in[0].data + row / g->out_h * g->h * line;
    const int32_t top = row % g->out_h * g->down - g->top;
    for (int32_t ox = 0, n; ox < g->out_w; ox += n, y += n * depth) {
      const tenon_arm_taps *part = (const tenon_arm_taps *)(g + 1);
      n = g->out_w - ox < g->how ? g->out_w - ox : g->how;
      for (int32_t i = 0; i < depth; i += 16) {
        const int8_t *rows[4];
        int32_t steps[4], left;
        if (depth - i < 4) i = depth - 4;
        left = depth - i < 16 ? depth - i : 16;
        for (int32_t k = 0; k < 4; ++k) {
          const int32_t at = top + k * g->dil_y;
          const bool is_in = k < g->kh && at >= 0 && at < g->h;
          rows[k] = is_in ? image + at * line + i : border;
          steps[k] = is_in ? depth : 0;
        }
        depthwise_conv_s8_mve_order(g, rows, steps, ox * g->right - g->left,
                                    (n - 1) * g->right + reach, left, ordered);
        for (int32_t j = 0; j < left; j += 4, ++part) {
          if (left - j < 4) j = left - 4;
          // Sums; before that what is read once.
          int32_t a = (int32_t)(intptr_t)words, d = n, e;
          int32_t b = (int32_t)(intptr_t)(ordered + j * 4);
          int8_t *to = y + i + j;
          __asm__ volatile(
              "vldrw.32 q0, [%[a]]\n"
              "vadd.i32 q0, q0, %[b]\n"
              "vldrb.8 q4, [%[part], #48]\n"
              "vldrb.8 q5, [%[part], #64]\n"
              "vldrb.8 q6, [%[part], #80]\n"
              "vldrb.8 q7, [%[part], #96]\n"
              "dls lr, %[d]\n"
              "1:\n"
              "vldrw.u32 q1, [q0]\n"
              "vmladav.s8 %[a], q1, q4\n"
              "vldrw.u32 q2, [q0, #4]\n"
              "vmladav.s8 %[b], q2, q5\n"
              "vldrw.u32 q1, [q0, #8]\n"
              "vmladav.s8 %[d], q1, q6\n"
              "vldrw.u32 q2, [q0, #12]\n"
              "vmladav.s8 %[e], q2, q7\n"
              "vldrw.32 q2, [%[part]]\n"
              "vmov q1[2], q1[0], %[a], %[d]\n"
              "vmov q1[3], q1[1], %[b], %[e]\n"
              "vadd.i32 q1, q1, q2\n"
              "vldrw.32 q2, [%[part], #16]\n"
              "vqrdmulh.s32 q1, q1, q2\n"
              "vldrw.32 q3, [%[part], #32]\n"
              "vshr.s32 q2, q1, #31\n"
              "vadd.i32 q1, q1, q2\n"
              "vrshl.s32 q1, q1, q3\n"
              "vadd.i32 q1, q1, %[zero]\n"
              "vadd.i32 q0, q0, %[step]\n"
              "vqmovnb.s32 q1, q1\n"
              "vqmovnb.s16 q1, q1\n"
              "vstrb.32 q1, [%[to]]\n"
              "add %[to], %[depth]\n"
              "le lr, 1b"
              : [a] "+Te"(a), [b] "+Te"(b), [d] "+Te"(d), [e] "=&Te"(e),
                [to] "+l"(to)
              : [part] "r"(part), [zero] "r"(g->y_zero),
                [step] "r"(g->right * 64), [depth] "r"(depth)
              : "lr", "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "memory");
        }
      }
    }
  }
  return TENON_OK;
}
