// depthwise_conv_s16q_mve.c - depthwise convolution of 16-bit numbers with
// 8-bit weights, plain channels, eight at a time. Bit for bit what
// depthwise_conv_s16q_ref.c computes.
//
// Packed: a tenon_arm_window, for eight channels two quads, of channels 0, 2,
// 4, 6 and of the others, and eight weights of each tap.
#include "kern/isa/arm/mve/mve.h"
#include "kern/loop/window.h"

// Taps in the image. Steps are in bytes, those to the next row from behind the
// last tap.
typedef struct depthwise_conv_s16q_mve_taps {
  int32_t rows, columns, x_step, x_next, w_next;
  int32_t lo, hi;
} depthwise_conv_s16q_mve_taps;

// Products of even channels and of odd ones are vectors of their own, which the
// last moves bring together.
TENON_ASM void depthwise_conv_s16q_mve_eight(
    TENON_ARG const int16_t *x, TENON_ARG const int8_t *w,
    TENON_ARG const depthwise_conv_s16q_mve_taps *t, TENON_ARG int16_t *y,
    TENON_ARG const tenon_arm_quad *q, TENON_ARG int32_t channels) {
  __asm__(
      "push {r4-r7, lr}\n"
      "vpush {d8-d9}\n"
      "ldrd r12, r4, [sp, #36]\n"
      "vctp.16 r4\n"
      "vldrw.32 q0, [r12]\n"
      "vldrw.32 q1, [r12, #48]\n"
      "ldrd r4, r5, [r2]\n"
      "ldrd r6, r7, [r2, #8]\n"
      "cbz r4, 3f\n"
      "1:\n"
      "dls lr, r5\n"
      "2:\n"
      "vpst\n"
      "vldrht.16 q2, [r0]\n"
      "add r0, r6\n"
      "vldrb.s16 q3, [r1], #8\n"
      "vmullb.s16 q4, q2, q3\n"
      "vmullt.s16 q2, q2, q3\n"
      "vadd.i32 q0, q0, q4\n"
      "vadd.i32 q1, q1, q2\n"
      "le lr, 2b\n"
      "add r0, r7\n"
      "ldr lr, [r2, #16]\n"
      "add r1, lr\n"
      "subs r4, #1\n"
      "bne 1b\n"
      "3:\n"
      "vldrw.32 q2, [r12, #16]\n"
      "vldrw.32 q3, [r12, #32]\n"
      "vmulh.s32 q0, q0, q2\n"
      "vrshl.s32 q0, q0, q3\n"
      "vldrw.32 q2, [r12, #64]\n"
      "vldrw.32 q3, [r12, #80]\n"
      "vmulh.s32 q1, q1, q2\n"
      "vrshl.s32 q1, q1, q3\n"
      "ldrd r4, r5, [r2, #20]\n"
      "vqmovnb.s32 q0, q0\n"
      "vqmovnt.s32 q0, q1\n"
      "vdup.16 q2, r4\n"
      "vdup.16 q3, r5\n"
      "vmax.s16 q0, q0, q2\n"
      "vmin.s16 q0, q0, q3\n"
      "vpst\n"
      "vstrht.16 q0, [r3]\n"
      "vpop {d8-d9}\n"
      "pop {r4-r7, pc}\n");
}

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_s16q_mve) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  const int32_t line = g->w * g->c;
  const ptrdiff_t size =
      2 * (ptrdiff_t)sizeof(tenon_arm_quad) + 8 * g->kh * g->kw;
  int16_t *y = (int16_t *)c->out[0].data + (int32_t)begin * g->out_w * g->c;
  depthwise_conv_s16q_mve_taps t;
  t.x_step = g->dil_x * g->c * 2;
  t.lo = g->lo;
  t.hi = g->hi;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int16_t *image =
        (const int16_t *)c->in[0].data + row / g->out_h * g->h * line;
    const tenon_taps ty = tenon_window_taps(row % g->out_h, g->down, g->top,
                                            g->dil_y, g->kh, g->h);
    for (int32_t ox = 0; ox < g->out_w; ++ox, y += g->c) {
      const tenon_taps tx =
          tenon_window_taps(ox, g->right, g->left, g->dil_x, g->kw, g->w);
      const int16_t *x = image + (ty.at + ty.begin * g->dil_y) * line +
                         (tx.at + tx.begin * g->dil_x) * g->c;
      const char *own = (const char *)tenon_arm_rest(g);
      const ptrdiff_t first = 8 * (ty.begin * g->kw + tx.begin);
      t.columns = (int32_t)(tx.end - tx.begin);
      t.rows = t.columns > 0 ? (int32_t)(ty.end - ty.begin) : 0;
      t.x_next = g->dil_y * line * 2 - t.columns * t.x_step;
      t.w_next = (g->kw - t.columns) * 8;
      for (int32_t i = 0; i < g->c; i += 8, own += size) {
        const tenon_arm_quad *q = (const tenon_arm_quad *)(const void *)own;
        depthwise_conv_s16q_mve_eight(x + i, (const int8_t *)(q + 2) + first,
                                      &t, y + i, q, g->c - i);
      }
    }
  }
  return TENON_OK;
}
