// squared_difference_s8_ref.c - the square of a difference of quantised
// numbers, as LiteRT's reference: both with 7 more bits at twice the larger
// scale.
#include "kern/op/arith.h"

static int8_t squared_difference_s8_ref_element(const tenon_add_s8 *p,
                                                int32_t x, int32_t y) {
  int32_t a = tenon_add_s8_term(x - p->a_zero, p->left, p->a_mult, p->a_shift);
  int32_t b = tenon_add_s8_term(y - p->b_zero, p->left, p->b_mult, p->b_shift);
  int32_t z = tenon_requant_twice((a - b) * (a - b), p->y_mult, p->y_shift);
  return (int8_t)tenon_clamp_s32(tenon_add_s32(z, p->y_zero), p->lo, p->hi);
}

TENON_BROADCAST_KERNEL(tenon_k_squared_difference_s8_ref, int8_t,
                       const tenon_add_s8 *p = (const tenon_add_s8 *)c->packed;
                       , squared_difference_s8_ref_element(p, x, y))
