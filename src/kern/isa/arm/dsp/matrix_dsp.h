// kern/isa/arm/dsp/matrix_dsp.h - products of a row with four channels.
#ifndef TENON_KERN_ISA_ARM_MATRIX_DSP_H
#define TENON_KERN_ISA_ARM_MATRIX_DSP_H

#include "kern/isa/arm/dsp/dsp.h"
#include "tenon/tensor.h"

#define TENON_MATRIX_DSP_ONE(sum, w) \
  "sxtb16 r11, " w                   \
  ", ror #8\n"                       \
  "sxtb16 " w ", " w                 \
  "\n"                               \
  "smlad " sum ", " w ", r12, " sum  \
  "\n"                               \
  "smlad " sum ", r11, lr, " sum "\n"
// Sixteen products: weights at r0, four of a channel in turn, the row at r1,
// sums in r3 to r6. 80 bytes of code, all registers but r2 and sp.
#define TENON_MATRIX_DSP_FOUR \
  "ldr r12, [r1], #4\n"       \
  "ldmia.w r0!, {r7, r8, r9, r10}\n" TENON_MATRIX_DSP_PRODUCTS
// The same of weights of 4 bits, those of channels 0 and 2 in the upper halves
// of bytes: all sums are 16 times theirs. 104 bytes of code.
#define TENON_MATRIX_DSP_FOUR_NARROW \
  "ldr r12, [r1], #4\n"              \
  "ldrd r7, r9, [r0], #8\n"          \
  "lsl.w r8, r7, #4\n"               \
  "and.w r7, r7, #0xf0f0f0f0\n"      \
  "and.w r8, r8, #0xf0f0f0f0\n"      \
  "lsl.w r10, r9, #4\n"              \
  "and.w r9, r9, #0xf0f0f0f0\n"      \
  "and.w r10, r10, #0xf0f0f0f0\n" TENON_MATRIX_DSP_PRODUCTS
#define TENON_MATRIX_DSP_PRODUCTS                                       \
  "sxtb16 lr, r12, ror #8\n"                                            \
  "sxtb16 r12, r12\n" TENON_MATRIX_DSP_ONE("r3", "r7")                  \
      TENON_MATRIX_DSP_ONE("r4", "r8") TENON_MATRIX_DSP_ONE("r5", "r9") \
          TENON_MATRIX_DSP_ONE("r6", "r10")
// From r1 to r2, the first time from an address on the stack on.
// clang-format off
#define TENON_MATRIX_DSP_ALL(entry) \
  TENON_MATRIX_DSP_ALL_OF(TENON_MATRIX_DSP_FOUR, entry)
#define TENON_MATRIX_DSP_ALL_OF(four, entry) \
  "ldr.w pc, [sp, #" entry "]\n" \
  "1:\n" \
  ".rept 4\n" \
  four \
  ".endr\n" \
  "cmp r1, r2\n" \
  "bne 1b\n"
// clang-format on
// That address to r4, for a row from r2 to r3.
#define TENON_MATRIX_DSP_ENTRY TENON_MATRIX_DSP_ENTRY_OF("80")
#define TENON_MATRIX_DSP_ENTRY_OF(bytes) \
  "sub r4, r2, r3\n"                     \
  "and r4, r4, #12\n"                    \
  "lsr r4, r4, #2\n"                     \
  "mov r5, #" bytes                      \
  "\n"                                   \
  "adr.w r6, 1f\n"                       \
  "mla r4, r4, r5, r6\n"                 \
  "orr r4, r4, #1\n"

// Defines the function `name`, the sums of four channels without their biases,
// and the kernel `kernel` of them (matrix_any.h), for weights that `four` takes
// in `bytes` of code, `size` bytes of them; sums are 2^up times theirs.
// clang-format off
#define TENON_MATRIX_DSP_KERNEL(kernel, name, four, bytes, size, up) \
  TENON_ASM void name(TENON_ARG const int8_t *w, TENON_ARG const int8_t *x, \
                      TENON_ARG int32_t *sums, TENON_ARG int32_t k) { \
    __asm__("push {r4-r11, lr}\n" \
            "push {r2}\n" \
            "add r3, r1, r3\n" \
            "mov r2, r1\n" TENON_MATRIX_DSP_ENTRY_OF(bytes) \
            "push {r4}\n" \
            "mov r2, r3\n" \
            "mov r3, #0\n" \
            "mov r4, #0\n" \
            "mov r5, #0\n" \
            "mov r6, #0\n" TENON_MATRIX_DSP_ALL_OF(four, "0") \
            "ldr lr, [sp, #4]\n" \
            "stm lr, {r3, r4, r5, r6}\n" \
            "add sp, #8\n" \
            "pop {r4-r11, pc}\n"); \
  } \
  TENON_KERNEL_RANGE(kernel) { \
    return tenon_matrix_any(c, begin, end, size, up, tenon_matrix_dsp_row, \
                            name); \
  }
// clang-format on

// A row of whole words: itself, or a copy, since nothing may be read behind a
// tensor of the caller's.
TENON_ARM const int8_t *tenon_matrix_dsp_row(const tenon_call *c,
                                             const tenon_arm_window *g,
                                             int32_t row) {
  const int8_t *x = (const int8_t *)c->in[0].data + row * g->c;
  int8_t *to = (int8_t *)c->scratch;
  if (g->c == g->k) return x;
  for (int32_t i = 0; i < g->k; ++i)
    to[i] = i < g->c ? x[i] : 0;
  return to;
}

#endif  // TENON_KERN_ISA_ARM_MATRIX_DSP_H
