// kern/isa/arm/dsp/arith_dsp.h - sums, differences and products of quantised
// numbers, one at a time.
//
// What has the larger scale counts in halves of twice that scale: its 20 more
// bits, or 15 of 16-bit numbers, scaled, are one less, without rounding. SMMLAR
// with a factor doubled less 2^32 and the number itself added scales without
// saturation. A shift leaves in the carry what rounds ties up, and a negative
// number, one less, away from zero.
#ifndef TENON_KERN_ISA_ARM_ARITH_DSP_H
#define TENON_KERN_ISA_ARM_ARITH_DSP_H

#include "kern/isa/arm/dsp/dsp.h"
#include "tenon/tensor.h"

// Of r0.
#define TENON_DSP_SCALE(factor, shift, more) \
  "smmlar r0, r0, " factor                   \
  ", r0\n"                                   \
  "add r0, r0, r0, asr #31\n"                \
  "asrs r0, r0, " shift                      \
  "\n"                                       \
  "adc r0, r0, " more "\n"

// What instructions say of a byte and of a 16-bit number: its type, size, bits
// of a sum and of its half, bits of a result.
#define TENON_DSP_BYTE "b", "#1", "#20", "#19", "#8"
#define TENON_DSP_HALF "h", "#2", "#15", "#14", "#16"

// r1 and r2 to r3; the members of tenon_arm_sum from `less` on are r5 to r11.
#define TENON_DSP_SUM(op, ...) TENON_DSP_SUM_OF(op, __VA_ARGS__)
#define TENON_DSP_SUM_OF(op, type, size, whole, half, bits)                  \
  "ldrs" type " r0, [r1], " size                                             \
  "\n"                                                                       \
  "ldrs" type " r12, [r2], " size                                            \
  "\n"                                                                       \
  "add r0, r5, r0, lsl " whole "\n" TENON_DSP_SCALE("r7", "r8", "r6") op     \
      " r0, r0, r12, lsl " half                                              \
      "\n" TENON_DSP_SCALE("r9", "r10", "r11") "ssat r0, " bits              \
                                               ", r0\n"                      \
                                               "str" type " r0, [r3], " size \
                                               "\n"
#define TENON_DSP_PRODUCT(...) TENON_DSP_PRODUCT_OF(__VA_ARGS__)
#define TENON_DSP_PRODUCT_OF(type, size, whole, half, bits)                  \
  "ldrs" type " r0, [r1], " size                                             \
  "\n"                                                                       \
  "ldrs" type " r12, [r2], " size                                            \
  "\n"                                                                       \
  "add r0, r5\n"                                                             \
  "add r12, r6\n"                                                            \
  "mul r0, r0, r12\n" TENON_DSP_SCALE("r9", "r10", "r11") "ssat r0, " bits   \
                                                          ", r0\n"           \
                                                          "str" type         \
                                                          " r0, [r3], " size \
                                                          "\n"

// A function of that, `n` times: those over a multiple of four, then the fours.
#define TENON_DSP_ARITH(name, one)                                      \
  TENON_ASM void name(TENON_ARG const tenon_arm_sum *s,                 \
                      TENON_ARG const void *p, TENON_ARG const void *q, \
                      TENON_ARG void *to, TENON_ARG int32_t n) {        \
    __asm__(                                                            \
        "push {r4-r11, lr}\n"                                           \
        "ldr r4, [sp, #36]\n"                                           \
        "add r0, #8\n"                                                  \
        "ldm r0, {r5-r11}\n"                                            \
        "ands lr, r4, #3\n"                                             \
        "beq 2f\n"                                                      \
        "1:\n" one                                                      \
        "subs lr, #1\n"                                                 \
        "bne 1b\n"                                                      \
        "2:\n"                                                          \
        "lsrs lr, r4, #2\n"                                             \
        "beq 4f\n"                                                      \
        "3:\n" one one one one                                          \
        "subs lr, #1\n"                                                 \
        "bne 3b\n"                                                      \
        "4:\n"                                                          \
        "pop {r4-r11, pc}\n");                                          \
  }

// Of differences the first operand is scaled, or the second.
TENON_DSP_ARITH(tenon_dsp_add, TENON_DSP_SUM("add", TENON_DSP_BYTE))
TENON_DSP_ARITH(tenon_dsp_sub_first, TENON_DSP_SUM("sub", TENON_DSP_BYTE))
TENON_DSP_ARITH(tenon_dsp_sub_second, TENON_DSP_SUM("rsb", TENON_DSP_BYTE))
TENON_DSP_ARITH(tenon_dsp_mul, TENON_DSP_PRODUCT(TENON_DSP_BYTE))
TENON_DSP_ARITH(tenon_dsp_add_s16, TENON_DSP_SUM("add", TENON_DSP_HALF))
TENON_DSP_ARITH(tenon_dsp_sub_first_s16, TENON_DSP_SUM("sub", TENON_DSP_HALF))
TENON_DSP_ARITH(tenon_dsp_sub_second_s16, TENON_DSP_SUM("rsb", TENON_DSP_HALF))
TENON_DSP_ARITH(tenon_dsp_mul_s16, TENON_DSP_PRODUCT(TENON_DSP_HALF))

#endif  // TENON_KERN_ISA_ARM_ARITH_DSP_H
