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
  "vqrdmulh.s32 q0, q0, %[" factor     \
  "]\n"                                \
  "vshr.s32 q1, q0, #31\n"             \
  "vadd.i32 q0, q0, q1\n"              \
  "vrshl.s32 q0, %[" shift "]\n"
#define TENON_MVE_STORE        \
  "vadd.i32 q0, q0, %[zero]\n" \
  "vqmovnb.s32 q0, q0\n"       \
  "vqmovnb.s16 q0, q0\n"       \
  "vstrb.32 q0, [%[to]], #4\n"

// `op` of q0, what is scaled, and q1. The count is where the loop keeps it:
// with the other ten operands a register of its own can be one too many.
#define TENON_MVE_SUMS(op)                                                      \
  {                                                                             \
    register int32_t count __asm__("lr") = n;                                   \
    __asm__ volatile(                                                         \
        "dlstp.32 lr, lr\n"                                                   \
        "1:\n"                                                                \
        "vldrb.s32 q0, [%[p]], #4\n"                                          \
        "vmlas.s32 q0, %q[up], %[less]\n" TENON_MVE_SCALE("factor", "shift")  \
        "vldrb.s32 q1, [%[q]], #4\n"                                          \
        "vmlas.s32 q1, %q[half_up], %[half_less]\n" op                        \
            TENON_MVE_SCALE("y_factor", "y_shift")                            \
            TENON_MVE_STORE "letp lr, 1b"                                     \
        : [p] "+l"(p), [q] "+l"(q), [to] "+l"(to), "+r"(count)                \
        : [up] "w"(vdupq_n_s32(1 << s->left)),                                \
          [half_up] "w"(vdupq_n_s32(1 << 19)), [less] "r"(s->less),           \
          [factor] "r"(s->mult), [shift] "r"(s->shift),                       \
          [half_less] "r"(s->half_less), [y_factor] "r"(s->y_mult),           \
          [y_shift] "r"(s->y_shift), [zero] "r"(s->zero)                      \
        : "q0", "q1", "memory"); \
  }

// Of `n` elements at p and q, by s.
#define TENON_MVE_PRODUCTS                                              \
  __asm__ volatile(                                                     \
      "dlstp.32 lr, %[n]\n"                                             \
      "1:\n"                                                            \
      "vldrb.s32 q0, [%[p]], #4\n"                                      \
      "vldrb.s32 q1, [%[q]], #4\n"                                      \
      "vadd.i32 q0, q0, %[less]\n"                                      \
      "vadd.i32 q1, q1, %[half_less]\n"                                 \
      "vmul.i32 q0, q0, q1\n" TENON_MVE_SCALE("y_factor", "y_shift")    \
          TENON_MVE_STORE "letp lr, 1b"                                 \
      : [p] "+l"(p), [q] "+l"(q), [to] "+l"(to)                         \
      : [n] "r"(n), [less] "r"(s->less), [half_less] "r"(s->half_less), \
        [y_factor] "r"(s->y_mult), [y_shift] "r"(s->y_shift),           \
        [zero] "r"(s->zero)                                             \
      : "lr", "q0", "q1", "memory");

#define TENON_MVE_SUM_BEGIN                                                   \
  const tenon_arm_sum *s = (const tenon_arm_sum *)c->packed;                  \
  const int8_t *p = (const int8_t *)c->in[1 - s->half].data + (int32_t)begin; \
  const int8_t *q = (const int8_t *)c->in[s->half].data + (int32_t)begin;     \
  int8_t *to = (int8_t *)c->out[0].data + (int32_t)begin;                     \
  const int32_t n = (int32_t)(end - begin);                                   \
  if (n < 1) return TENON_OK;

#endif  // TENON_KERN_ISA_ARM_ARITH_MVE_H
