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
  TENON_MVE_PRODUCTS
  return TENON_OK;
}
