// kern/isa/arm/mve/matrix_mve.h - products of a row with four channels.
#ifndef TENON_KERN_ISA_ARM_MATRIX_MVE_H
#define TENON_KERN_ISA_ARM_MATRIX_MVE_H

#include "kern/isa/arm/mve/mve.h"
#include "tenon/tensor.h"

// Sixteen bytes of a row at r1, and of four channels at r0.
#define TENON_MATRIX_MVE_CHUNK(mul) \
  "vldrb.8 q0, [r1], #16\n"         \
  "vldrb.8 q1, [r0], #16\n" mul     \
  " r4, q0, q1\n"                   \
  "vldrb.8 q2, [r0], #16\n" mul     \
  " r6, q0, q2\n"                   \
  "vldrb.8 q1, [r0], #16\n" mul     \
  " r8, q0, q1\n"                   \
  "vldrb.8 q2, [r0], #16\n" mul " r10, q0, q2\n"
// The same of weights of 4 bits, those of channels 0 and 2 in the upper halves
// of bytes.
#define TENON_MATRIX_MVE_CHUNK_NARROW(mul) \
  "vldrb.8 q0, [r1], #16\n"                \
  "vldrb.8 q1, [r0], #16\n"                \
  "vshr.s8 q2, q1, #4\n" mul               \
  " r4, q0, q2\n"                          \
  "vshl.i8 q1, q1, #4\n"                   \
  "vldrb.8 q3, [r0], #16\n"                \
  "vshr.s8 q1, q1, #4\n" mul               \
  " r6, q0, q1\n"                          \
  "vshr.s8 q2, q3, #4\n" mul               \
  " r8, q0, q2\n"                          \
  "vshl.i8 q3, q3, #4\n"                   \
  "vshr.s8 q3, q3, #4\n" mul " r10, q0, q3\n"
// All of a row from r1 on; r12: chunks behind the first.
#define TENON_MATRIX_MVE_ALL TENON_MATRIX_MVE_ALL_OF(TENON_MATRIX_MVE_CHUNK)
#define TENON_MATRIX_MVE_ALL_OF(chunk) \
  chunk("vmladav.s8") \
  "wls lr, r12, 2f\n"                            \
  "1:\n" chunk("vmladava.s8")   \
  "le lr, 1b\n"                                  \
  "2:\n"

// A row of whole chunks: itself, or a copy, since nothing may be read behind a
// tensor of the caller's.
TENON_MVE const int8_t *tenon_matrix_mve_row(const tenon_call *c,
                                             const tenon_arm_window *g,
                                             int32_t row) {
  const int8_t *x = (const int8_t *)c->in[0].data + row * g->c;
  int8_t *to = (int8_t *)c->scratch;
  if (g->c == g->k) return x;
  for (int32_t i = 0; i < g->c; i += 16) {
    const mve_pred16_t some = vctp8q((uint32_t)(g->c - i));
    vstrbq_s8(to + i, vldrbq_z_s8(x + i, some));
  }
  return to;
}

// Defines the function `name`, the sums of four channels without their biases,
// and the kernel `kernel` of them (matrix_any.h), for weights that `chunk`
// takes, `size` bytes of them.
// clang-format off
#define TENON_MATRIX_MVE_KERNEL(kernel, name, chunk, size) \
  TENON_ASM void name(TENON_ARG const int8_t *w, TENON_ARG const int8_t *x, \
                      TENON_ARG int32_t *sums, TENON_ARG int32_t k) { \
    __asm__("push {r4-r11, lr}\n" \
            "lsr r12, r3, #4\n" \
            "sub r12, r12, #1\n" TENON_MATRIX_MVE_ALL_OF(chunk) \
            "strd r4, r6, [r2]\n" \
            "strd r8, r10, [r2, #8]\n" \
            "pop {r4-r11, pc}\n"); \
  } \
  TENON_KERNEL_RANGE(kernel) { \
    return tenon_matrix_any(c, begin, end, size, 0, tenon_matrix_mve_row, \
                            name); \
  }
// clang-format on

#endif  // TENON_KERN_ISA_ARM_MATRIX_MVE_H
