// mul_s8_dsp.c - quantised product of tensors of one shape. Bit for bit what
// mul_s8_ref.c computes.
#include "kern/isa/arm/arith_dsp.h"

#define MUL_S8_DSP_ONE \
  "ldrsb %[t], [%[p]], #1\n"           \
  "ldrsb %[x], [%[q]], #1\n"           \
  "add %[t], %[less]\n"                \
  "add %[x], %[half_less]\n"           \
  "mul %[t], %[t], %[x]\n"             \
  TENON_DSP_SCALE("y_factor", "n", "zero") \
  "ssat %[t], #8, %[t]\n"              \
  "strb %[t], [%[to]], #1\n"

TENON_KERNEL_RANGE(tenon_k_mul_s8_dsp) {
  const tenon_arm_sum *s = (const tenon_arm_sum *)c->packed;
  const int8_t *p = (const int8_t *)c->in[0].data + (int32_t)begin;
  const int8_t *q = (const int8_t *)c->in[1].data + (int32_t)begin;
  int8_t *to = (int8_t *)c->out[0].data + (int32_t)begin;
  int32_t count = ((int32_t)(end - begin) - 1) * 256 + s->y_shift, t, x;
  if (end > begin)
    __asm__ volatile("1:\n" MUL_S8_DSP_ONE
                     "subs %[n], #256\n"
                     "bmi 2f\n" MUL_S8_DSP_ONE
                     "subs %[n], #256\n"
                     "bpl 1b\n"
                     "2:\n"
                     : [t] "=&r"(t), [x] "=&r"(x), [p] "+r"(p), [q] "+r"(q),
                       [to] "+r"(to), [n] "+r"(count)
                     : [less] "r"(s->less), [half_less] "r"(s->half_less),
                       [y_factor] "r"(s->y_mult), [zero] "r"(s->zero)
                     : "cc", "memory");
  return TENON_OK;
}
