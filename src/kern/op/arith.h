// kern/op/arith.h - attributes and packed forms of core::add, sub, mul, div.
#ifndef TENON_KERN_ARITH_H
#define TENON_KERN_ARITH_H

#include "kern/loop/broadcast.h"
#include "kern/num/fixed.h"
#include "kern/op/clamp.h"

typedef struct tenon_arith_attrs {
  tenon_opt_float lo, hi;  // clamp in real numbers
} tenon_arith_attrs;

// Limits as the loop needs them, from the call's attributes: `m`, of this type,
// computed from `attrs`.
#define TENON_ARITH_LIMITS_AS(type, limits)                             \
  const tenon_arith_attrs *attrs = (const tenon_arith_attrs *)c->attrs; \
  const type m = limits;
// Packed for quantised add and sub: both operands are brought to twice the
// larger scale with `left` more bits, added, and brought to the result's.
typedef struct tenon_add_s8 {
  int32_t a_zero, b_zero, y_zero, lo, hi, left;
  int32_t a_mult, a_shift, b_mult, b_shift, y_mult, y_shift;
} tenon_add_s8;

// Packed for quantised mul.
typedef struct tenon_mul_s8 {
  int32_t a_zero, b_zero, y_zero, lo, hi;
  int32_t mult, shift;
} tenon_mul_s8;

TENON_INLINE int32_t tenon_add_s8_term(int32_t x, int32_t left, int32_t mult,
                                       int32_t shift) {
  return tenon_requant_twice(x * (1 << left), mult, shift);
}

// sign is 1 for add, -1 for sub.
TENON_INLINE int32_t tenon_add_stored(const tenon_add_s8 *p, int32_t x,
                                      int32_t y, int32_t sign) {
  int32_t a = tenon_add_s8_term(x - p->a_zero, p->left, p->a_mult, p->a_shift);
  int32_t b = tenon_add_s8_term(y - p->b_zero, p->left, p->b_mult, p->b_shift);
  int32_t sum = tenon_requant_twice(a + sign * b, p->y_mult, p->y_shift);
  return tenon_clamp_s32(tenon_add_s32(sum, p->y_zero), p->lo, p->hi);
}

TENON_INLINE int32_t tenon_mul_stored(const tenon_mul_s8 *p, int32_t x,
                                      int32_t y) {
  int32_t product = (x - p->a_zero) * (y - p->b_zero);
  int32_t z = tenon_requant_twice(product, p->mult, p->shift);
  return tenon_clamp_s32(tenon_add_s32(z, p->y_zero), p->lo, p->hi);
}

#endif  // TENON_KERN_ARITH_H
