// kern/isa/arm/mve/wide_mve.h - products of 16-bit numbers with 8-bit weights
// of four channels that are plain (arm_packed.h), eight at a time, added up in
// 32 bits.
//
// Packed: a tenon_arm_window, quads, weights: eight of four channels in turn.
#ifndef TENON_KERN_ISA_ARM_WIDE_MVE_H
#define TENON_KERN_ISA_ARM_WIDE_MVE_H

#include "kern/isa/arm/mve/mve.h"
#include "tenon/tensor.h"

// A function for all channels of a row: the sums of biases and products, what
// `upper` makes of those in q0, which may use q1 to q3, take vectors of the
// table at r9 and adds r11, which is 1, and what rounding ties up leaves of it.
// `job`: numbers, channels, limits.
#define TENON_WIDE_MVE_ROW(name, upper)                                 \
  TENON_ASM void name(TENON_ARG const int8_t *w,                        \
                      TENON_ARG const int32_t *table,                   \
                      TENON_ARG const int16_t *x, TENON_ARG int16_t *y, \
                      TENON_ARG const int32_t *job) {                   \
    __asm__(                                                            \
        "push {r4-r11, lr}\n"                                           \
        "vpush {d8-d11}\n"                                              \
        "ldr r4, [sp, #68]\n"                                           \
        "ldrd r12, r5, [r4]\n"                                          \
        "ldrd r9, r11, [r4, #8]\n"                                      \
        "vdup.32 q4, r9\n"                                              \
        "vdup.32 q5, r11\n"                                             \
        "mov r9, r1\n"                                                  \
        "mov r11, #1\n"                                                 \
        "0:\n"                                                          \
        "mov r1, r2\n"                                                  \
        "movs r4, #0\n"                                                 \
        "movs r6, #0\n"                                                 \
        "mov r8, r4\n"                                                  \
        "mov r10, r4\n"                                                 \
        "dlstp.16 lr, r12\n"                                            \
        "1:\n"                                                          \
        "vldrh.16 q1, [r1], #16\n"                                      \
        "vldrb.s16 q0, [r0], #8\n"                                      \
        "vmladava.s16 r4, q0, q1\n"                                     \
        "vldrb.s16 q2, [r0], #8\n"                                      \
        "vmladava.s16 r6, q2, q1\n"                                     \
        "vldrb.s16 q0, [r0], #8\n"                                      \
        "vmladava.s16 r8, q0, q1\n"                                     \
        "vldrb.s16 q2, [r0], #8\n"                                      \
        "vmladava.s16 r10, q2, q1\n"                                    \
        "letp lr, 1b\n"                                                 \
        "vmov q0[2], q0[0], r4, r8\n"                                   \
        "vmov q0[3], q0[1], r6, r10\n"                                  \
        "vldrw.32 q1, [r9], #16\n"                                      \
        "vadd.i32 q0, q0, q1\n" upper                                   \
        "vldrw.32 q3, [r9], #16\n"                                      \
        "vrshl.s32 q0, q0, q3\n"                                        \
        "vmax.s32 q0, q0, q4\n"                                         \
        "vmin.s32 q0, q0, q5\n"                                         \
        "vctp.32 r5\n"                                                  \
        "vpst\n"                                                        \
        "vstrht.32 q0, [r3], #8\n"                                      \
        "subs r5, #4\n"                                                 \
        "bgt 0b\n"                                                      \
        "vpop {d8-d11}\n"                                               \
        "pop {r4-r11, pc}\n");                                          \
  }

// The upper half of the product, which is not rounded.
TENON_WIDE_MVE_ROW(tenon_wide_mve_row,
                   "vldrw.32 q2, [r9], #16\n"
                   "vmulh.s32 q0, q0, q2\n")

TENON_MVE void tenon_wide_mve(const tenon_arm_window *g, int32_t k,
                              const int16_t *x, int16_t *y) {
  const int32_t *const table = (const int32_t *)tenon_arm_rest(g);
  const int8_t *const w = (const int8_t *)(table + (g->out_c + 3) / 4 * 12);
  const int32_t job[] = {k, g->out_c, g->lo, g->hi};
  tenon_wide_mve_row(w, table, x, y, job);
}

#endif  // TENON_KERN_ISA_ARM_WIDE_MVE_H
