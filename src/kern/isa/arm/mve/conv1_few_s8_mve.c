// conv1_few_s8_mve.c - quantised convolution with a window of one pixel, in
// steps of 1, of at most 16 channels and to a multiple of four, all plain
// (arm_packed.h): weights of four channels stay in registers, and go over a
// piece of pixels that have been copied. Bit for bit what conv_s8_ref.c
// computes.
#include "kern/isa/arm/mve/conv_mve.h"

// What a piece is computed with.
typedef struct conv1_few_s8_mve_job {
  int32_t n, fours;
  int32_t depth, zero, out_c;
} conv1_few_s8_mve_job;

TENON_ASM void conv1_few_s8_mve_piece(
    TENON_ARG const int8_t *w, TENON_ARG const int32_t *table,
    TENON_ARG const int8_t *x, TENON_ARG int8_t *y,
    TENON_ARG const conv1_few_s8_mve_job *job) {
  __asm__(
      "push {r4-r11, lr}\n"
      "vpush {d8-d15}\n"
      "ldr r4, [sp, #100]\n"
      "ldm r4, {r4, r6, r7, r9, r11}\n"
      "push {r4, r6}\n"
      "0:\n"
      // Of channels 0 and 2, then 1 and 3.
      "vldrb.8 q4, [r0], #16\n"
      "vldrb.8 q6, [r0], #16\n"
      "vldrb.8 q5, [r0], #16\n"
      "vldrb.8 q7, [r0], #16\n"
      "vldrw.32 q1, [r1, #16]\n"
      "vldrw.32 q2, [r1, #32]\n"
      "ldr r4, [sp]\n"
      "mov r12, r2\n"
      "mov r5, r3\n"
      "dls lr, r4\n"
      "1:\n"
      "vldrb.8 q0, [r12]\n"
      "vmladav.s8 r4, q0, q4\n"
      "add r12, r7\n"
      "vmladav.s8 r8, q0, q6\n"
      "vldrw.32 q3, [r1]\n"
      "vmladav.s8 r6, q0, q5\n"
      "vmladav.s8 r10, q0, q7\n"
      "vmov q0[2], q0[0], r4, r8\n"
      "vmov q0[3], q0[1], r6, r10\n"
      "vadd.i32 q0, q0, q3\n"
      "vqrdmulh.s32 q0, q0, q1\n"
      "vshr.s32 q3, q0, #31\n"
      "vadd.i32 q0, q0, q3\n"
      "vrshl.s32 q0, q0, q2\n"
      "vadd.i32 q0, q0, r9\n"
      "vqmovnb.s32 q0, q0\n"
      "vqmovnb.s16 q0, q0\n"
      "vstrb.32 q0, [r5]\n"
      "add r5, r11\n"
      "le lr, 1b\n"
      "adds r1, #48\n"
      "adds r3, #4\n"
      "ldr r4, [sp, #4]\n"
      "subs r4, #1\n"
      "str r4, [sp, #4]\n"
      "bne 0b\n"
      "add sp, #8\n"
      "vpop {d8-d15}\n"
      "pop {r4-r11, pc}\n");
}

TENON_KERNEL_RANGE(tenon_k_conv1_few_s8_mve) {
  const tenon_arm_window *const g = (const tenon_arm_window *)c->packed;
  const int32_t *const table = (const int32_t *)tenon_arm_rest(g);
  const int8_t *const w = (const int8_t *)(table + (g->out_c >> 2) * 12);
  const int32_t from = (int32_t)begin * g->out_w;
  const int8_t *x = (const int8_t *)c->in[0].data + from * g->c;
  int8_t *y = (int8_t *)c->out[0].data + from * g->out_c;
  conv1_few_s8_mve_job job = {TENON_ARM_PIECE, g->out_c >> 2, g->c, g->y_zero,
                              g->out_c};
  for (int32_t left = (int32_t)(end - begin) * g->out_w; left > 0;
       left -= job.n) {
    if (left < job.n) job.n = left;
    tenon_conv_mve_copy((int8_t *)c->scratch, x, job.n * g->c, 1, 0);
    conv1_few_s8_mve_piece(w, table, (const int8_t *)c->scratch, y, &job);
    x += job.n * g->c;
    y += job.n * g->out_c;
  }
  return TENON_OK;
}
