// kern/isa/arm/fpu/winograd_fpu.h - what conv_winograd_f32_fpu.c does to
// weights, inputs and sums of tiles, in the order of kern/product/winograd.h.
#ifndef TENON_KERN_ISA_ARM_WINOGRAD_FPU_H
#define TENON_KERN_ISA_ARM_WINOGRAD_FPU_H

#include "kern/isa/arm/fpu/fpu.h"
#include "kern/product/winograd.h"

// --- Weights -----------------------------------------------------------------

// G of three weights of tiles of 4: the first and the last stay where they are,
// what is between goes to p, q, r and s. s9 to s15 are what they count for.
#define TENON_WINOGRAD_FPU_4(a, b, c, p, q, r, s) \
  "vmul.f32 " p ", s10, " a                       \
  "\n"                                            \
  "vmul.f32 " r ", s13, " a                       \
  "\n"                                            \
  "vmul.f32 " a ", s9, " a                        \
  "\n"                                            \
  "vfma.f32 " p ", s12, " c                       \
  "\n"                                            \
  "vfma.f32 " r ", s15, " c                       \
  "\n"                                            \
  "vmov.f32 " q ", " p                            \
  "\n"                                            \
  "vmov.f32 " s ", " r                            \
  "\n"                                            \
  "vfma.f32 " p ", s11, " b                       \
  "\n"                                            \
  "vfms.f32 " q ", s11, " b                       \
  "\n"                                            \
  "vfma.f32 " r ", s14, " b                       \
  "\n"                                            \
  "vfms.f32 " s ", s14, " b "\n"
#define TENON_WINOGRAD_FPU_PUT_4(a, b, c)                   \
  TENON_WINOGRAD_FPU_4(a, b, c, "s28", "s29", "s30", "s31") \
  "vstmia r1!, {" a "}\nvstmia r1!, {s28-s31}\nvstmia r1!, {" c "}\n"
// The same of tiles of 2, with a half in s9.
#define TENON_WINOGRAD_FPU_2(a, b, c, p, q) \
  "vadd.f32 " p ", " a ", " c               \
  "\n"                                      \
  "vmul.f32 " p ", " p                      \
  ", s9\n"                                  \
  "vmov.f32 " q ", " p                      \
  "\n"                                      \
  "vfma.f32 " p ", s9, " b                  \
  "\n"                                      \
  "vfms.f32 " q ", s9, " b "\n"
#define TENON_WINOGRAD_FPU_PUT_2(a, b, c)     \
  TENON_WINOGRAD_FPU_2(a, b, c, "s28", "s29") \
  "vstmia r1!, {" a "}\nvstmia r1!, {s28, s29}\nvstmia r1!, {" c "}\n"

// Of `n` input channels, one at least.
#define TENON_WINOGRAD_FPU_WEIGHTS(name, body)                          \
  TENON_ASM void name(TENON_ARG const float *w, TENON_ARG float *u,     \
                      TENON_ARG int32_t n, TENON_ARG const float *by) { \
    __asm__(                                                            \
        "vpush {s16-s31}\n"                                             \
        "vldm r3, {s9-s15}\n"                                           \
        "1:\n"                                                          \
        "vldmia r0!, {s0-s8}\n" body                                    \
        "subs r2, #1\n"                                                 \
        "bne 1b\n"                                                      \
        "vpop {s16-s31}\n"                                              \
        "bx lr\n");                                                     \
  }
TENON_WINOGRAD_FPU_WEIGHTS(
    tenon_winograd_fpu_weights_4,
    TENON_WINOGRAD_FPU_4("s0", "s3", "s6", "s16", "s17", "s18", "s19")
        TENON_WINOGRAD_FPU_4("s1", "s4", "s7", "s20", "s21", "s22", "s23")
            TENON_WINOGRAD_FPU_4("s2", "s5", "s8", "s24", "s25", "s26", "s27")
                TENON_WINOGRAD_FPU_PUT_4("s0", "s1", "s2")
                    TENON_WINOGRAD_FPU_PUT_4("s16", "s20", "s24")
                        TENON_WINOGRAD_FPU_PUT_4("s17", "s21", "s25")
                            TENON_WINOGRAD_FPU_PUT_4("s18", "s22", "s26")
                                TENON_WINOGRAD_FPU_PUT_4("s19", "s23", "s27")
                                    TENON_WINOGRAD_FPU_PUT_4("s6", "s7", "s8"))
TENON_WINOGRAD_FPU_WEIGHTS(
    tenon_winograd_fpu_weights_2,
    TENON_WINOGRAD_FPU_2("s0", "s3", "s6", "s16", "s17")
        TENON_WINOGRAD_FPU_2("s1", "s4", "s7", "s20", "s21")
            TENON_WINOGRAD_FPU_2("s2", "s5", "s8", "s24", "s25")
                TENON_WINOGRAD_FPU_PUT_2("s0", "s1", "s2")
                    TENON_WINOGRAD_FPU_PUT_2("s16", "s20", "s24")
                        TENON_WINOGRAD_FPU_PUT_2("s17", "s21", "s25")
                            TENON_WINOGRAD_FPU_PUT_2("s6", "s7", "s8"))

// --- Products ----------------------------------------------------------------

// All sums of some tiles and one output channel: `n` input channels, one at
// least, whose weights are `at` bytes apart, four of them `at4`.
#define TENON_WINOGRAD_FPU_PRODUCTS(name, one, zero, registers, at, at2, at3, \
                                    at4, count)                               \
  TENON_ASM void name(TENON_ARG const float *v, TENON_ARG const float *u,     \
                      TENON_ARG int32_t n, TENON_ARG float *sums) {           \
    __asm__(                                                                \
        "push {r4, r5, r6, r7}\n"                                           \
        "vpush {s16-s23}\n"                                                 \
        "movs r5, #0\n"                                                     \
        "movs r6, #" count "\n"                                             \
        "0:\n"                                                              \
        "mov r7, r1\n" zero                                                 \
        "subs r4, r2, #4\n"                                                 \
        "blt 2f\n"                                                          \
        "1:\n"                                                              \
        "vldr s0, [r7]\n"                                                   \
        "vldr s1, [r7, #" at "]\n"                                          \
        "vldr s2, [r7, #" at2 "]\n"                                         \
        "vldr s3, [r7, #" at3 "]\n"                                         \
        "add r7, r7, #" at4 "\n" one("s0") one("s1") one("s2") one("s3")    \
        "subs r4, #4\n"                                                     \
        "bge 1b\n"                                                          \
        "2:\n"                                                              \
        "adds r4, #4\n"                                                     \
        "beq 4f\n"                                                          \
        "3:\n"                                                              \
        "vldr s0, [r7]\n"                                                   \
        "add r7, r7, #" at "\n" one("s0")                                   \
        "subs r4, #1\n"                                                     \
        "bne 3b\n"                                                          \
        "4:\n"                                                              \
        "adds r1, #4\n"                                                     \
        "vstm r3, {" registers "}\n"                                        \
        "add r3, r3, #32\n"                                                \
        "subs r6, #1\n"                                                     \
        "bne 0b\n"                                                          \
        "vpop {s16-s23}\n"                                                  \
        "pop {r4, r5, r6, r7}\n"                                            \
        "bx lr\n"); \
  }
#define TENON_WINOGRAD_FPU_ZERO_4 \
  "vmov s8, s9, r5, r5\n"         \
  "vmov s10, s11, r5, r5\n"
#define TENON_WINOGRAD_FPU_ZERO_8 \
  TENON_WINOGRAD_FPU_ZERO_4       \
  "vmov s12, s13, r5, r5\n"       \
  "vmov s14, s15, r5, r5\n"
TENON_WINOGRAD_FPU_PRODUCTS(tenon_winograd_fpu_eight_4, TENON_FPU_EIGHT,
                            TENON_WINOGRAD_FPU_ZERO_8, "s8-s15", "144", "288",
                            "432", "576", "36")
TENON_WINOGRAD_FPU_PRODUCTS(tenon_winograd_fpu_four_4, TENON_FPU_FOUR,
                            TENON_WINOGRAD_FPU_ZERO_4, "s8-s11", "144", "288",
                            "432", "576", "36")
TENON_WINOGRAD_FPU_PRODUCTS(tenon_winograd_fpu_eight_2, TENON_FPU_EIGHT,
                            TENON_WINOGRAD_FPU_ZERO_8, "s8-s15", "64", "128",
                            "192", "256", "16")
TENON_WINOGRAD_FPU_PRODUCTS(tenon_winograd_fpu_four_2, TENON_FPU_FOUR,
                            TENON_WINOGRAD_FPU_ZERO_4, "s8-s11", "64", "128",
                            "192", "256", "16")

// --- Inputs and outputs ------------------------------------------------------

// B' of six inputs of tiles of 4, s0 to s5 being what they count for: 0, 1, 3
// and 5 of the results come where inputs 4, 0, 1 and 5 were, 2 and 4 in s18 and
// s20.
#define TENON_WINOGRAD_FPU_SPREAD_4(d0, d1, d2, d3, d4, d5) \
  "vmov.f32 s18, " d4                                       \
  "\n"                                                      \
  "vmov.f32 s19, " d3                                       \
  "\n"                                                      \
  "vmov.f32 s20, " d4                                       \
  "\n"                                                      \
  "vmov.f32 s21, " d3                                       \
  "\n"                                                      \
  "vfms.f32 s18, s3, " d2                                   \
  "\n"                                                      \
  "vfms.f32 s19, s3, " d1                                   \
  "\n"                                                      \
  "vfms.f32 s20, s2, " d2                                   \
  "\n"                                                      \
  "vfms.f32 s21, s2, " d1                                   \
  "\n"                                                      \
  "vfms.f32 " d4 ", s4, " d2                                \
  "\n"                                                      \
  "vfms.f32 " d5 ", s4, " d3                                \
  "\n"                                                      \
  "vfma.f32 " d4 ", s5, " d0                                \
  "\n"                                                      \
  "vfma.f32 " d5 ", s5, " d1                                \
  "\n"                                                      \
  "vmov.f32 " d0                                            \
  ", s18\n"                                                 \
  "vmov.f32 " d1                                            \
  ", s20\n"                                                 \
  "vfma.f32 " d0                                            \
  ", s0, s19\n"                                             \
  "vfms.f32 s18, s0, s19\n"                                 \
  "vfma.f32 " d1                                            \
  ", s1, s21\n"                                             \
  "vfms.f32 s20, s1, s21\n"
// Of four inputs of tiles of 2: the first comes where input 0 was, the others
// in s18 to s20.
#define TENON_WINOGRAD_FPU_SPREAD_2(d0, d1, d2, d3) \
  "vsub.f32 " d0 ", " d0 ", " d2                    \
  "\n"                                              \
  "vadd.f32 s18, " d1 ", " d2                       \
  "\n"                                              \
  "vsub.f32 s19, " d2 ", " d1                       \
  "\n"                                              \
  "vsub.f32 s20, " d1 ", " d3 "\n"

// Two channels of one of the pixels, whose pointers begin at r4.
#define TENON_WINOGRAD_FPU_LOAD(at, registers) \
  "ldr r12, [r4, #" at                         \
  "]\n"                                        \
  "add r12, r12, r5\n"                         \
  "vldm r12, {" registers "}\n"
#define TENON_WINOGRAD_FPU_KEEP(x, at) "vstr " x ", [r7, #" at "]\n"
#define TENON_WINOGRAD_FPU_PUT(x) \
  "vstr " x                       \
  ", [r10]\n"                     \
  "add r10, r10, r8\n"

// All channels of a tile, two at least, two at a time; of what is left the last
// two, one of them once more. `bytes` of a pixel, `lanes` bytes from a channel
// to the next in one plane of v. `columns` takes the inputs of a column from
// memory and stores what they give for both channels, `line` a line of these.
#define TENON_WINOGRAD_FPU_INPUTS(name, n, size, arg, columns, line)        \
  TENON_ASM void name(TENON_ARG const float *const *from,                   \
                      TENON_ARG int32_t bytes, TENON_ARG float *v,          \
                      TENON_ARG int32_t lanes, TENON_ARG const float *by) { \
    __asm__(                                                                \
        "push {r4-r10, lr}\n"                                               \
        "vpush {s16-s21}\n"                                                 \
        "sub sp, sp, #" size                                                \
        "\n"                                                                \
        "ldr r12, [sp, #" arg                                               \
        "]\n"                                                               \
        "vldm r12, {s0-s5}\n"                                               \
        "lsr r8, r3, #2\n"                                                  \
        "mul r8, r8, r1\n"                                                  \
        "movs r5, #0\n"                                                     \
        "1:\n"                                                              \
        "mov r4, r0\n"                                                      \
        "mov r7, sp\n"                                                      \
        "movs r6, #" n                                                      \
        "\n"                                                                \
        "2:\n" columns                                                      \
        "adds r4, #4\n"                                                     \
        "adds r7, #4\n"                                                     \
        "subs r6, #1\n"                                                     \
        "bne 2b\n"                                                          \
        "mul r4, r5, r3\n"                                                  \
        "add r4, r2, r4, lsr #2\n"                                          \
        "mov r7, sp\n"                                                      \
        "mov r9, #2\n"                                                      \
        "3:\n"                                                              \
        "mov r10, r4\n"                                                     \
        "movs r6, #" n                                                      \
        "\n"                                                                \
        "4:\n" line                                                         \
        "subs r6, #1\n"                                                     \
        "bne 4b\n"                                                          \
        "add r4, r4, r3\n"                                                  \
        "subs r9, r9, #1\n"                                                 \
        "bne 3b\n"                                                          \
        "adds r5, #8\n"                                                     \
        "subs r12, r1, r5\n"                                                \
        "ble 5f\n"                                                          \
        "cmp r12, #4\n"                                                     \
        "it eq\n"                                                           \
        "subeq r5, #4\n"                                                    \
        "b 1b\n"                                                            \
        "5:\n"                                                              \
        "add sp, sp, #" size                                                \
        "\n"                                                                \
        "vpop {s16-s21}\n"                                                  \
        "pop {r4-r10, pc}\n");                                              \
  }
TENON_WINOGRAD_FPU_INPUTS(
    tenon_winograd_fpu_inputs_4, "6", "288", "344",
    TENON_WINOGRAD_FPU_LOAD("0", "s6, s7") TENON_WINOGRAD_FPU_LOAD(
        "24", "s8, s9") TENON_WINOGRAD_FPU_LOAD("48", "s10, s11")
        TENON_WINOGRAD_FPU_LOAD("72", "s12, s13") TENON_WINOGRAD_FPU_LOAD(
            "96", "s14, s15") TENON_WINOGRAD_FPU_LOAD("120", "s16, s17")
            TENON_WINOGRAD_FPU_SPREAD_4("s6", "s8", "s10", "s12", "s14", "s16")
                TENON_WINOGRAD_FPU_KEEP("s14", "0") TENON_WINOGRAD_FPU_KEEP(
                    "s6", "24") TENON_WINOGRAD_FPU_KEEP("s18", "48")
                    TENON_WINOGRAD_FPU_KEEP("s8", "72") TENON_WINOGRAD_FPU_KEEP(
                        "s20", "96") TENON_WINOGRAD_FPU_KEEP("s16", "120")
                        TENON_WINOGRAD_FPU_SPREAD_4("s7", "s9", "s11", "s13",
                                                    "s15", "s17")
                            TENON_WINOGRAD_FPU_KEEP("s15", "144")
                                TENON_WINOGRAD_FPU_KEEP("s7", "168")
                                    TENON_WINOGRAD_FPU_KEEP("s18", "192")
                                        TENON_WINOGRAD_FPU_KEEP("s9", "216")
                                            TENON_WINOGRAD_FPU_KEEP("s20",
                                                                    "240")
                                                TENON_WINOGRAD_FPU_KEEP("s17",
                                                                        "264"),
    "vldmia r7!, {s6-s11}\n" TENON_WINOGRAD_FPU_SPREAD_4("s6", "s7", "s8", "s9",
                                                         "s10", "s11")
        TENON_WINOGRAD_FPU_PUT("s10") TENON_WINOGRAD_FPU_PUT("s6")
            TENON_WINOGRAD_FPU_PUT("s18") TENON_WINOGRAD_FPU_PUT("s7")
                TENON_WINOGRAD_FPU_PUT("s20") TENON_WINOGRAD_FPU_PUT("s11"))
TENON_WINOGRAD_FPU_INPUTS(
    tenon_winograd_fpu_inputs_2, "4", "128", "184",
    TENON_WINOGRAD_FPU_LOAD("0", "s6, s7") TENON_WINOGRAD_FPU_LOAD(
        "16", "s8, s9") TENON_WINOGRAD_FPU_LOAD("32", "s10, s11")
        TENON_WINOGRAD_FPU_LOAD("48", "s12, s13") TENON_WINOGRAD_FPU_SPREAD_2(
            "s6", "s8", "s10", "s12") TENON_WINOGRAD_FPU_KEEP("s6", "0")
            TENON_WINOGRAD_FPU_KEEP("s18", "16")
                TENON_WINOGRAD_FPU_KEEP("s19", "32")
                    TENON_WINOGRAD_FPU_KEEP("s20", "48")
                        TENON_WINOGRAD_FPU_SPREAD_2("s7", "s9", "s11", "s13")
                            TENON_WINOGRAD_FPU_KEEP("s7", "64")
                                TENON_WINOGRAD_FPU_KEEP("s18", "80")
                                    TENON_WINOGRAD_FPU_KEEP("s19", "96")
                                        TENON_WINOGRAD_FPU_KEEP("s20", "112"),
    "vldmia r7!, {s6-s9}\n" TENON_WINOGRAD_FPU_SPREAD_2("s6", "s7", "s8", "s9")
        TENON_WINOGRAD_FPU_PUT("s6") TENON_WINOGRAD_FPU_PUT("s18")
            TENON_WINOGRAD_FPU_PUT("s19") TENON_WINOGRAD_FPU_PUT("s20"))

// A' of six sums in s6 to s11, which comes in s6, s7, s8 and s11; of four, in
// s6 and s7.
#define TENON_WINOGRAD_FPU_GATHER_4 \
  "vadd.f32 s12, s7, s8\n"          \
  "vsub.f32 s13, s7, s8\n"          \
  "vadd.f32 s14, s9, s10\n"         \
  "vsub.f32 s15, s9, s10\n"         \
  "vadd.f32 s6, s6, s12\n"          \
  "vmul.f32 s7, s0, s13\n"          \
  "vmul.f32 s8, s2, s12\n"          \
  "vfma.f32 s11, s4, s13\n"         \
  "vadd.f32 s6, s6, s14\n"          \
  "vfma.f32 s7, s1, s15\n"          \
  "vfma.f32 s8, s3, s14\n"          \
  "vfma.f32 s11, s5, s15\n"
#define TENON_WINOGRAD_FPU_GATHER_2 \
  "vadd.f32 s6, s6, s7\n"           \
  "vsub.f32 s7, s7, s8\n"           \
  "vadd.f32 s6, s6, s8\n"           \
  "vsub.f32 s7, s7, s9\n"

// The sums of a tile, eight floats apart, as outputs one beside the other.
#define TENON_WINOGRAD_FPU_OUTPUTS(name, n, tile, size, columns, line) \
  TENON_ASM void name(TENON_ARG const float *sums, TENON_ARG float *y, \
                      TENON_ARG const float *by) {                     \
    __asm__(                                                           \
        "vldm r2, {s0-s5}\n"                                           \
        "sub sp, sp, #" size                                           \
        "\n"                                                           \
        "mov r3, sp\n"                                                 \
        "movs r2, #" n                                                 \
        "\n"                                                           \
        "1:\n" columns                                                 \
        "adds r0, #32\n"                                               \
        "adds r3, #4\n"                                                \
        "subs r2, #1\n"                                                \
        "bne 1b\n"                                                     \
        "mov r3, sp\n"                                                 \
        "movs r2, #" tile                                              \
        "\n"                                                           \
        "2:\n" line                                                    \
        "subs r2, #1\n"                                                \
        "bne 2b\n"                                                     \
        "add sp, sp, #" size                                           \
        "\n"                                                           \
        "bx lr\n");                                                    \
  }
TENON_WINOGRAD_FPU_OUTPUTS(
    tenon_winograd_fpu_outputs_4, "6", "4", "96",
    "vldr s6, [r0]\nvldr s7, [r0, #192]\nvldr s8, [r0, #384]\n"
    "vldr s9, [r0, #576]\nvldr s10, [r0, #768]\nvldr s11, [r0, "
    "#960]\n" TENON_WINOGRAD_FPU_GATHER_4
    "vstr s6, [r3]\nvstr s7, [r3, #24]\nvstr s8, [r3, #48]\n"
    "vstr s11, [r3, #72]\n",
    "vldmia r3!, {s6-s11}\n" TENON_WINOGRAD_FPU_GATHER_4
    "vstmia r1!, {s6-s8}\nvstmia r1!, {s11}\n")
TENON_WINOGRAD_FPU_OUTPUTS(
    tenon_winograd_fpu_outputs_2, "4", "2", "32",
    "vldr s6, [r0]\nvldr s7, [r0, #128]\nvldr s8, [r0, #256]\n"
    "vldr s9, [r0, #384]\n" TENON_WINOGRAD_FPU_GATHER_2
    "vstr s6, [r3]\nvstr s7, [r3, #16]\n",
    "vldmia r3!, {s6-s9}\n" TENON_WINOGRAD_FPU_GATHER_2
    "vstmia r1!, {s6, s7}\n")

#endif  // TENON_KERN_ISA_ARM_WINOGRAD_FPU_H
