// mul_s8_mve.c - quantised product of tensors of one shape. Bit for bit what
// mul_s8_ref.c computes.
#include "kern/isa/arm/arith_mve.h"

TENON_KERNEL_RANGE(tenon_k_mul_s8_mve) {
  const tenon_arm_sum *s = (const tenon_arm_sum *)c->packed;
  const int8_t *p = (const int8_t *)c->in[0].data + (int32_t)begin;
  const int8_t *q = (const int8_t *)c->in[1].data + (int32_t)begin;
  int8_t *to = (int8_t *)c->out[0].data + (int32_t)begin;
  const int32_t n = (int32_t)(end - begin);
  if (n < 1) return TENON_OK;
  __asm__ volatile(
      "dlstp.32 lr, %[n]\n"
      "1:\n"
      "vldrb.s32 q0, [%[p]], #4\n"
      "vldrb.s32 q1, [%[q]], #4\n"
      "vadd.i32 q0, q0, %[less]\n"
      "vadd.i32 q1, q1, %[half_less]\n"
      "vmul.i32 q0, q0, q1\n" TENON_MVE_SCALE("y_factor", "y_shift")
          TENON_MVE_STORE "letp lr, 1b"
      : [p] "+l"(p), [q] "+l"(q), [to] "+l"(to)
      : [n] "r"(n), [less] "r"(s->less), [half_less] "r"(s->half_less),
        [y_factor] "r"(s->y_mult), [y_shift] "r"(s->y_shift),
        [zero] "r"(s->zero)
      : "lr", "q0", "q1", "memory");
  return TENON_OK;
}
