// mul_s8_ref.c - quantised product, as LiteRT's reference MUL: rounded twice.
#include "kern/arith.h"

static int8_t mul_s8_ref_element(const tenon_mul_s8 *p, int32_t x, int32_t y) {
  int32_t product = (x - p->a_zero) * (y - p->b_zero);
  int32_t z = tenon_requant_twice(product, p->mult, p->shift);
  return (int8_t)tenon_clamp_s32(tenon_add_s32(z, p->y_zero), p->lo, p->hi);
}

TENON_BROADCAST_KERNEL(tenon_k_mul_s8_ref, int8_t,
                       const tenon_mul_s8 *p = (const tenon_mul_s8 *)c->packed;
                       , mul_s8_ref_element(p, x, y))
