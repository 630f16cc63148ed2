// fully_connected_s8_mve.c - quantised product, four channels at a time, of
// channels that are plain (arm_packed.h). Bit for bit what
// fully_connected_s8_ref.c computes.
#include "kern/isa/arm/mve/matrix_mve.h"

// All channels of a row. The sum of biases and products, its upper half, which
// is not rounded, then what rounding ties up leaves of it. `job`: chunks behind
// the first, channels, zero point, limits.
TENON_ASM void fully_connected_s8_mve_row(TENON_ARG const int8_t *w,
                                          TENON_ARG const int32_t *table,
                                          TENON_ARG const int8_t *x,
                                          TENON_ARG int8_t *y,
                                          TENON_ARG const int32_t *job) {
  __asm__(
      "push {r4-r11, lr}\n"
      "vpush {d8-d11}\n"
      "ldr r4, [sp, #68]\n"
      "ldr r12, [r4]\n"
      "ldrd r5, r7, [r4, #4]\n"
      "ldrd r9, r11, [r4, #12]\n"
      "vdup.32 q4, r9\n"
      "vdup.32 q5, r11\n"
      "mov r9, r1\n"
      "mov r11, r2\n"
      "0:\n"
      "mov r1, r11\n" TENON_MATRIX_MVE_ALL
      "vmov q0[2], q0[0], r4, r8\n"
      "vmov q0[3], q0[1], r6, r10\n"
      "vldrw.32 q1, [r9], #16\n"
      "vldrw.32 q2, [r9], #16\n"
      "vldrw.32 q3, [r9], #16\n"
      "vadd.i32 q0, q0, q1\n"
      "vmulh.s32 q0, q0, q2\n"
      "vrshl.s32 q0, q0, q3\n"
      "vadd.i32 q0, q0, r7\n"
      "vmax.s32 q0, q0, q4\n"
      "vmin.s32 q0, q0, q5\n"
      "vctp.32 r5\n"
      "vpst\n"
      "vstrbt.32 q0, [r3], #4\n"
      "subs r5, #4\n"
      "bgt 0b\n"
      "vpop {d8-d11}\n"
      "pop {r4-r11, pc}\n");
}

TENON_KERNEL_RANGE(tenon_k_fully_connected_s8_mve) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  const int32_t *const table = (const int32_t *)tenon_arm_rest(g);
  const int8_t *const w = (const int8_t *)(table + (g->out_c + 3) / 4 * 12);
  const int32_t job[] = {(g->k >> 4) - 1, g->out_c, g->y_zero, g->lo, g->hi};
  int8_t *y = (int8_t *)c->out[0].data + (int32_t)begin * g->out_c;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row, y += g->out_c)
    fully_connected_s8_mve_row(w, table, tenon_matrix_mve_row(c, g, row), y,
                               job);
  return TENON_OK;
}
