// kern/isa/arm/mve/lookup_mve.h - functions of quantised 16-bit numbers by the
// tables of kern/loop/lookup.h, entries gathered.
#ifndef TENON_KERN_ISA_ARM_LOOKUP_MVE_H
#define TENON_KERN_ISA_ARM_LOOKUP_MVE_H

#include "kern/isa/arm/mve/mve.h"
#include "kern/loop/lookup.h"

// Places, of which the last is just below the end of the table: from there on
// the functions are as good as constant, and round alike. What a negative place
// gives is one less the other one's, or the other one's less: the bits the
// other way round, one less, are rounded up where that would be rounded down.
// Either is right but for bit 15, which `last` sees to.
#define TENON_MVE_SIGMOID(name, bits, round, last)                         \
  TENON_ASM void name(TENON_ARG const void *t, TENON_ARG const int16_t *p, \
                      TENON_ARG int16_t *to, TENON_ARG int32_t n) {        \
    __asm__(                                                               \
        "push {r4-r7, lr}\n"                                               \
        "vpush {d8-d13}\n"                                                 \
        "ldr r4, [r0, #512]\n"                                             \
        "ldr r5, [r0, #516]\n"                                             \
        "rsb r5, r5, #0\n"                                                 \
        "add r6, r0, #2\n"                                                 \
        "mov r7, #0x8000\n"                                                \
        "movw r12, #(1 << " bits                                           \
        ") - 1\n"                                                          \
        "vdup.32 q5, r12\n"                                                \
        "movw r12, #((255 << " bits                                        \
        ") - 1) & 0xFFFF\n"                                                \
        "movt r12, #((255 << " bits                                        \
        ") - 1) >> 16\n"                                                   \
        "vdup.32 q6, r12\n"                                                \
        "dlstp.32 lr, r3\n"                                                \
        "1:\n"                                                             \
        "vldrh.s32 q0, [r1], #8\n"                                         \
        "vmul.i32 q0, q0, r4\n"                                            \
        "vrshl.s32 q0, r5\n"                                               \
        "vshr.s32 q1, q0, #31\n"                                           \
        "vabs.s32 q0, q0\n"                                                \
        "vmin.s32 q0, q0, q6\n"                                            \
        "vand q2, q0, q5\n"                                                \
        "vshr.u32 q0, q0, #" bits                                          \
        "\n"                                                               \
        "vldrh.u32 q3, [r0, q0, uxtw #1]\n"                                \
        "vldrh.u32 q4, [r6, q0, uxtw #1]\n"                                \
        "vsub.i32 q4, q4, q3\n"                                            \
        "vmul.i32 q2, q2, q4\n"                                            \
        "vshl.i32 q3, q3, #" bits                                          \
        "\n"                                                               \
        "vadd.i32 q2, q2, q3\n"                                            \
        "veor q2, q2, q1\n"                                                \
        "vrshr.s32 q2, q2, #" round "\n" last                              \
        "vstrh.32 q2, [r2], #8\n"                                          \
        "letp lr, 1b\n"                                                    \
        "vpop {d8-d13}\n"                                                  \
        "pop {r4-r7, pc}\n");                                              \
  }
TENON_MVE_SIGMOID(tenon_mve_logistic, "9", "10", "vbic.i32 q2, #0x8000\n")
TENON_MVE_SIGMOID(tenon_mve_tanh, "8", "8", "vadd.i32 q2, q2, r7\n")

// Eight at a time. A difference of entries wraps at 16 bits, as LiteRT's does;
// its product with what lies behind an entry, of 7 bits, is rounded with ties
// up.
TENON_ASM void tenon_mve_lookup(TENON_ARG const void *t,
                                TENON_ARG const int16_t *p,
                                TENON_ARG int16_t *to, TENON_ARG int32_t n) {
  __asm__(
      "push {r4, lr}\n"
      "dlstp.16 lr, r3\n"
      "mov r12, #256\n"
      "add r4, r0, #2\n"
      "1:\n"
      "vldrh.16 q0, [r1], #16\n"
      "vshr.s16 q1, q0, #7\n"
      "vadd.i16 q1, q1, r12\n"
      "vshl.i16 q0, q0, #9\n"
      "vshr.u16 q0, q0, #1\n"
      "vldrh.u16 q2, [r0, q1, uxtw #1]\n"
      "vldrh.u16 q3, [r4, q1, uxtw #1]\n"
      "vsub.i16 q3, q3, q2\n"
      "vqrdmulh.s16 q0, q0, q3\n"
      "vadd.i16 q0, q0, q2\n"
      "vstrh.16 q0, [r2], #16\n"
      "letp lr, 1b\n"
      "pop {r4, pc}\n");
}

// Elements from `begin` on by `f`, with its table.
#define TENON_MVE_LOOKUP(f)                                     \
  if (begin < end)                                              \
  f(c->packed, (const int16_t *)c->in[0].data + (int32_t)begin, \
    (int16_t *)c->out[0].data + (int32_t)begin, (int32_t)(end - begin))

#endif  // TENON_KERN_ISA_ARM_LOOKUP_MVE_H
