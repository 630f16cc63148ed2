// kern/isa/arm/arith_mve.h - sums, differences and products of quantised
// numbers, four at a time.
//
// What has the larger scale counts in halves of twice that scale: its 20 more
// bits, scaled, are 19, without rounding.
#ifndef TENON_KERN_ISA_ARM_ARITH_MVE_H
#define TENON_KERN_ISA_ARM_ARITH_MVE_H

#include "kern/isa/arm/mve.h"
#include "tenon/tensor.h"

// Of q0; q1 is overwritten.
#define TENON_MVE_SCALE(factor, shift) \
  "vqrdmulh.s32 q0, q0, " factor       \
  "\n"                                 \
  "vshr.s32 q1, q0, #31\n"             \
  "vadd.i32 q0, q0, q1\n"              \
  "vrshl.s32 q0, " shift "\n"
// Of q0, what is scaled, and q1; the members of tenon_arm_sum from `less` on
// are r4 to r10.
#define TENON_MVE_SUM(op) \
  "vldrb.s32 q0, [r1], #4\n"                      \
  "vmlas.s32 q0, q2, r4\n"                        \
  TENON_MVE_SCALE("r6", "r7")                     \
  "vldrb.s32 q1, [r2], #4\n"                      \
  "vmlas.s32 q1, q3, r5\n"                        \
  op TENON_MVE_SCALE("r8", "r9")
#define TENON_MVE_PRODUCT    \
  "vldrb.s32 q0, [r1], #4\n" \
  "vldrb.s32 q1, [r2], #4\n" \
  "vadd.i32 q0, q0, r4\n"    \
  "vadd.i32 q1, q1, r5\n"    \
  "vmul.i32 q0, q0, q1\n" TENON_MVE_SCALE("r8", "r9")

// A function of `n` of them.
#define TENON_MVE_ARITH(name, four)                                         \
  TENON_ASM void name(TENON_ARG const tenon_arm_sum *s,                     \
                      TENON_ARG const int8_t *p, TENON_ARG const int8_t *q, \
                      TENON_ARG int8_t *to, TENON_ARG int32_t n) {          \
    __asm__(                                                                \
        "push {r4-r10, lr}\n"                                               \
        "ldr lr, [sp, #32]\n"                                               \
        "ldr r12, [r0, #4]\n"                                               \
        "mov r4, #1\n"                                                      \
        "mov r5, #0x80000\n"                                                \
        "lsl r4, r4, r12\n"                                                 \
        "vdup.32 q2, r4\n"                                                  \
        "vdup.32 q3, r5\n"                                                  \
        "add r0, #8\n"                                                      \
        "ldm r0, {r4-r10}\n"                                                \
        "wlstp.32 lr, lr, 2f\n"                                             \
        "1:\n" four                                                         \
        "vadd.i32 q0, q0, r10\n"                                            \
        "vqmovnb.s32 q0, q0\n"                                              \
        "vqmovnb.s16 q0, q0\n"                                              \
        "vstrb.32 q0, [r3], #4\n"                                           \
        "letp lr, 1b\n"                                                     \
        "2:\n"                                                              \
        "pop {r4-r10, pc}\n");                                              \
  }

TENON_MVE_ARITH(tenon_mve_add, TENON_MVE_SUM("vadd.i32 q0, q0, q1\n"))
// The first operand is scaled, or the second.
TENON_MVE_ARITH(tenon_mve_sub_first, TENON_MVE_SUM("vsub.i32 q0, q0, q1\n"))
TENON_MVE_ARITH(tenon_mve_sub_second, TENON_MVE_SUM("vsub.i32 q0, q1, q0\n"))
TENON_MVE_ARITH(tenon_mve_mul, TENON_MVE_PRODUCT)

// Elements from `begin` on by `f`: of the operand that is scaled, and of the
// one in halves.
#define TENON_MVE_CALL(f, scaled, half)                  \
  f((const tenon_arm_sum *)c->packed,                    \
    (const int8_t *)c->in[scaled].data + (int32_t)begin, \
    (const int8_t *)c->in[half].data + (int32_t)begin,   \
    (int8_t *)c->out[0].data + (int32_t)begin, (int32_t)(end - begin))

#endif  // TENON_KERN_ISA_ARM_ARITH_MVE_H
