// kern/isa/arm/arith_dsp.h - sums, differences and products of quantised
// numbers, one at a time.
//
// What has the larger scale counts in halves of twice that scale: its 20 more
// bits, scaled, are 19, without rounding. SMMLAR with a factor doubled less
// 2^32 and the number itself added scales without saturation. A shift leaves in
// the carry what rounds ties up, and a negative number, one less, away from
// zero. The count of the loop lies above the shift, of which only the lowest
// byte is seen.
#ifndef TENON_KERN_ISA_ARM_ARITH_DSP_H
#define TENON_KERN_ISA_ARM_ARITH_DSP_H

#include "kern/isa/arm/dsp.h"
#include "tenon/tensor.h"

#define TENON_DSP_SCALE(factor, shift, more) \
  "smmlar %[t], %[t], %[" factor             \
  "], %[t]\n"                                \
  "add %[t], %[t], %[t], asr #31\n"          \
  "asrs %[t], %[t], %[" shift                \
  "]\n"                                      \
  "adc %[t], %[t], %[" more "]\n"

#define TENON_DSP_SUM(op) \
  "ldrsb %[t], [%[p]], #1\n"                        \
  "ldrsb %[x], [%[q]], #1\n"                        \
  "add %[t], %[less], %[t], lsl #20\n"              \
  TENON_DSP_SCALE("factor", "n", "half_less")       \
  op " %[t], %[t], %[x], lsl #19\n"                 \
  TENON_DSP_SCALE("y_factor", "y_shift", "zero")    \
  "ssat %[t], #8, %[t]\n"                           \
  "strb %[t], [%[to]], #1\n"

// `n` times; `each` four times in a loop of its own.
#define TENON_DSP_SUMS(op)                                                                         \
  for (int32_t part = 0; part < 2; ++part) {                                                       \
    const int32_t times = part ? n >> 2 : n & 3;                                                   \
    int32_t count = (times - 1) * 256 + s->shift;                                                  \
    int32_t t, x;                                                                                  \
    if (times == 0) continue;                                                                      \
    if (part == 0)                                                                                 \
      __asm__ volatile("1:\n" TENON_DSP_SUM(                                                       \
          op) "subs %[n], #256\n"                                                                  \
              "bpl 1b" TENON_DSP_SUM_OPERANDS);                                                    \
    else                                                                                           \
      __asm__ volatile("1:\n" TENON_DSP_SUM(op) TENON_DSP_SUM(op) TENON_DSP_SUM(op) TENON_DSP_SUM( \
          op) "subs %[n], #256\n"                                                                  \
              "bpl 1b" TENON_DSP_SUM_OPERANDS);                                                    \
  }
#define TENON_DSP_SUM_OPERANDS                                           \
  : [t] "=&r"(t), [x] "=&r"(x), [p] "+r"(p), [q] "+r"(q), [to] "+r"(to),     \
    [n] "+r"(count)                                                          \
  : [less] "r"(s->less), [factor] "r"(s->mult),                              \
    [half_less] "r"(s->half_less), [y_factor] "r"(s->y_mult),                \
    [y_shift] "r"(s->y_shift), [zero] "r"(s->zero)                           \
  : "cc", "memory"

// Elements from `begin` on: the operand that is scaled, `p`, and the one in
// halves, `q`.
#define TENON_DSP_SUM_BEGIN                                                   \
  const tenon_arm_sum *s = (const tenon_arm_sum *)c->packed;                  \
  const int8_t *p = (const int8_t *)c->in[1 - s->half].data + (int32_t)begin; \
  const int8_t *q = (const int8_t *)c->in[s->half].data + (int32_t)begin;     \
  int8_t *to = (int8_t *)c->out[0].data + (int32_t)begin;                     \
  const int32_t n = (int32_t)(end - begin);

#endif  // TENON_KERN_ISA_ARM_ARITH_DSP_H
