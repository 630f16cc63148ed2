// kern/isa/arm/mve/arith_mve.h - sums, differences and products of quantised
// numbers, four at a time.
//
// What has the larger scale counts in halves of twice that scale: its 20 more
// bits, or 15 of 16-bit numbers, scaled, are one less, without rounding.
#ifndef TENON_KERN_ISA_ARM_ARITH_MVE_H
#define TENON_KERN_ISA_ARM_ARITH_MVE_H

#include "kern/isa/arm/mve/mve.h"
#include "tenon/tensor.h"

// Of q0; q1 is overwritten.
#define TENON_MVE_SCALE(factor, shift) \
  "vqrdmulh.s32 q0, q0, " factor       \
  "\n"                                 \
  "vshr.s32 q1, q0, #31\n"             \
  "vadd.i32 q0, q0, q1\n"              \
  "vrshl.s32 q0, " shift "\n"
// What instructions say of bytes and of 16-bit numbers: their type, the size of
// four, half a sum; what is left of saturating.
#define TENON_MVE_BYTE "b", "#4", "#0x80000", "vqmovnb.s16 q0, q0\n"
#define TENON_MVE_HALF "h", "#8", "#0x4000", ""

// Of q0, what is scaled, and q1; the members of tenon_arm_sum from `less` on
// are r4 to r10.
#define TENON_MVE_SUM(op, type, size)                \
  "vldr" type ".s32 q0, [r1], " size                 \
  "\n"                                               \
  "vmlas.s32 q0, q2, r4\n" TENON_MVE_SCALE(          \
      "r6", "r7") "vldr" type ".s32 q1, [r2], " size \
                  "\n"                               \
                  "vmlas.s32 q1, q3, r5\n" op TENON_MVE_SCALE("r8", "r9")
#define TENON_MVE_ADD(type, size) \
  TENON_MVE_SUM("vadd.i32 q0, q0, q1\n", type, size)
#define TENON_MVE_SUB_FIRST(type, size) \
  TENON_MVE_SUM("vsub.i32 q0, q0, q1\n", type, size)
#define TENON_MVE_SUB_SECOND(type, size) \
  TENON_MVE_SUM("vsub.i32 q0, q1, q0\n", type, size)
#define TENON_MVE_PRODUCT(type, size) \
  "vldr" type ".s32 q0, [r1], " size  \
  "\n"                                \
  "vldr" type ".s32 q1, [r2], " size  \
  "\n"                                \
  "vadd.i32 q0, q0, r4\n"             \
  "vadd.i32 q1, q1, r5\n"             \
  "vmul.i32 q0, q0, q1\n" TENON_MVE_SCALE("r8", "r9")

// A function of `n` of them.
#define TENON_MVE_ARITH(name, four, ...) \
  TENON_MVE_ARITH_OF(name, four, __VA_ARGS__)
#define TENON_MVE_ARITH_OF(name, four, type, size, half, narrower)            \
  TENON_ASM void name(TENON_ARG const tenon_arm_sum *s,                       \
                      TENON_ARG const void *p, TENON_ARG const void *q,       \
                      TENON_ARG void *to, TENON_ARG int32_t n) {              \
    __asm__(                                                                \
        "push {r4-r10, lr}\n"                                               \
        "ldr lr, [sp, #32]\n"                                               \
        "ldr r12, [r0, #4]\n"                                               \
        "mov r4, #1\n"                                                      \
        "mov r5, " half "\n"                                                \
        "lsl r4, r4, r12\n"                                                 \
        "vdup.32 q2, r4\n"                                                  \
        "vdup.32 q3, r5\n"                                                  \
        "add r0, #8\n"                                                      \
        "ldm r0, {r4-r10}\n"                                                \
        "wlstp.32 lr, lr, 2f\n"                                             \
        "1:\n" four(type, size)                                                         \
        "vadd.i32 q0, q0, r10\n"                                            \
        "vqmovnb.s32 q0, q0\n"                                              \
        narrower "vstr" type ".32 q0, [r3], " size "\n"                                           \
        "letp lr, 1b\n"                                                     \
        "2:\n"                                                              \
        "pop {r4-r10, pc}\n"); \
  }

// Of differences the first operand is scaled, or the second.
TENON_MVE_ARITH(tenon_mve_add, TENON_MVE_ADD, TENON_MVE_BYTE)
TENON_MVE_ARITH(tenon_mve_sub_first, TENON_MVE_SUB_FIRST, TENON_MVE_BYTE)
TENON_MVE_ARITH(tenon_mve_sub_second, TENON_MVE_SUB_SECOND, TENON_MVE_BYTE)
TENON_MVE_ARITH(tenon_mve_mul, TENON_MVE_PRODUCT, TENON_MVE_BYTE)
TENON_MVE_ARITH(tenon_mve_add_s16, TENON_MVE_ADD, TENON_MVE_HALF)
TENON_MVE_ARITH(tenon_mve_sub_first_s16, TENON_MVE_SUB_FIRST, TENON_MVE_HALF)
TENON_MVE_ARITH(tenon_mve_sub_second_s16, TENON_MVE_SUB_SECOND, TENON_MVE_HALF)
TENON_MVE_ARITH(tenon_mve_mul_s16, TENON_MVE_PRODUCT, TENON_MVE_HALF)

#endif  // TENON_KERN_ISA_ARM_ARITH_MVE_H
