// kern/isa/arm/fpu/fpu.h - sums of products of floats: many at a time, each one
// chain of fused multiply-adds in the order of the reference kernels.
//
// VLDM loads as many numbers as it is given registers, so that eight channels
// take an instruction for their weights and one for each product. Not by MVE:
// it flushes what is below the normal range to zero.
#ifndef TENON_KERN_ISA_ARM_FPU_H
#define TENON_KERN_ISA_ARM_FPU_H

#if !defined(__ARM_FP)
#error "these kernels need an FPU: compile with -mfloat-abi=hard or softfp"
#endif

#include "kern/op/clamp.h"
#include "tenon/tensor.h"

#ifndef TENON_ASM  // as in dsp.h
#define TENON_ASM static __attribute__((naked, noinline, unused, aligned(4)))
#define TENON_ARG __attribute__((unused))
#endif

// One number, in s`x`, with the next eight or four weights.
#define TENON_FPU_EIGHT(x)  \
  "vldmia r0!, {s16-s23}\n" \
  "vfma.f32 s8, s16, " x    \
  "\n"                      \
  "vfma.f32 s9, s17, " x    \
  "\n"                      \
  "vfma.f32 s10, s18, " x   \
  "\n"                      \
  "vfma.f32 s11, s19, " x   \
  "\n"                      \
  "vfma.f32 s12, s20, " x   \
  "\n"                      \
  "vfma.f32 s13, s21, " x   \
  "\n"                      \
  "vfma.f32 s14, s22, " x   \
  "\n"                      \
  "vfma.f32 s15, s23, " x "\n"
#define TENON_FPU_FOUR(x) \
  "vldmia r0!, {s4-s7}\n" \
  "vfma.f32 s8, s4, " x   \
  "\n"                    \
  "vfma.f32 s9, s5, " x   \
  "\n"                    \
  "vfma.f32 s10, s6, " x  \
  "\n"                    \
  "vfma.f32 s11, s7, " x "\n"

// `n` numbers from x on, one at least, to sums of as many channels as `one`
// takes; their weights lie side by side.
#define TENON_FPU_CHANNELS(name, one, registers, before, behind)                \
  TENON_ASM void name(TENON_ARG const float *w, TENON_ARG const float *x,       \
                      TENON_ARG int32_t n, TENON_ARG float *sums) {             \
    __asm__(                                                                  \
        before                                                                \
        "vldm r3, {" registers "}\n"                                          \
        "subs r2, #4\n"                                                       \
        "blt 2f\n"                                                            \
        "1:\n"                                                                \
        "vldmia r1!, {s0-s3}\n" one("s0") one("s1") one("s2") one("s3")       \
        "subs r2, #4\n"                                                       \
        "bge 1b\n"                                                            \
        "2:\n"                                                                \
        "adds r2, #4\n"                                                       \
        "beq 4f\n"                                                            \
        "3:\n"                                                                \
        "vldmia r1!, {s0}\n" one("s0")                                        \
        "subs r2, #1\n"                                                       \
        "bne 3b\n"                                                            \
        "4:\n"                                                                \
        "vstm r3, {" registers "}\n" behind                                   \
        "bx lr\n"); \
  }
TENON_FPU_CHANNELS(tenon_fpu_eight, TENON_FPU_EIGHT, "s8-s15",
                   "vpush {s16-s23}\n", "vpop {s16-s23}\n")
TENON_FPU_CHANNELS(tenon_fpu_four, TENON_FPU_FOUR, "s8-s11", "", "")

// Eight sums that begin; stores of their own, since compilers call memset.
static inline __attribute__((always_inline, unused)) void tenon_fpu_begin(
    float *sums) {
  __asm__ volatile(
      "strd %[zero], %[zero], [%[sums]]\n"
      "strd %[zero], %[zero], [%[sums], #8]\n"
      "strd %[zero], %[zero], [%[sums], #16]\n"
      "strd %[zero], %[zero], [%[sums], #24]"
      :
      : [sums] "r"(sums), [zero] "r"(0)
      : "memory");
}

#define TENON_FPU_LIMIT(x)  \
  "vcmp.f32 " x             \
  ", s16\n"                 \
  "vmrs APSR_nzcv, FPSCR\n" \
  "it mi\n"                 \
  "vmovmi.f32 " x           \
  ", s16\n"                 \
  "vcmp.f32 " x             \
  ", s17\n"                 \
  "vmrs APSR_nzcv, FPSCR\n" \
  "it gt\n"                 \
  "vmovgt.f32 " x ", s17\n"

// Eight of them as they are stored; no bias, or no limits, where these are
// null.
TENON_ASM void tenon_fpu_store_eight(TENON_ARG const float *sums,
                                     TENON_ARG const float *bias,
                                     TENON_ARG float *y,
                                     TENON_ARG const tenon_limits_f32 *m) {
  __asm__(
      "vldm r0, {s0-s7}\n"
      "cbz r1, 1f\n"
      "vldm r1, {s8-s15}\n"
      "vadd.f32 s0, s0, s8\n"
      "vadd.f32 s1, s1, s9\n"
      "vadd.f32 s2, s2, s10\n"
      "vadd.f32 s3, s3, s11\n"
      "vadd.f32 s4, s4, s12\n"
      "vadd.f32 s5, s5, s13\n"
      "vadd.f32 s6, s6, s14\n"
      "vadd.f32 s7, s7, s15\n"
      "1:\n"
      "cmp r3, #0\n"
      "beq 2f\n"
      "vpush {s16, s17}\n"
      "vldm r3, {s16, s17}\n"
      TENON_FPU_LIMIT("s0") TENON_FPU_LIMIT("s1") TENON_FPU_LIMIT("s2")
      TENON_FPU_LIMIT("s3") TENON_FPU_LIMIT("s4") TENON_FPU_LIMIT("s5")
      TENON_FPU_LIMIT("s6") TENON_FPU_LIMIT("s7")
      "vpop {s16, s17}\n"
      "2:\n"
      "vstm r2, {s0-s7}\n"
      "bx lr\n");
}
static inline __attribute__((always_inline, unused)) void tenon_fpu_store(
    const float *sums, const float *bias, float *y, int32_t n,
    const tenon_limits_f32 *m) {
  for (int32_t i = 0; i < n; ++i) {
    const float v = bias ? sums[i] + bias[i] : sums[i];
    y[i] = m ? tenon_limit_f32(v, *m) : v;
  }
}

#endif  // TENON_KERN_ISA_ARM_FPU_H
