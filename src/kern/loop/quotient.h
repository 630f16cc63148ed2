// kern/loop/quotient.h - quantised quotients, as LiteRT's reference DIV: times
// a reciprocal in integers. A divisor of zero fails.
#ifndef TENON_KERN_QUOTIENT_H
#define TENON_KERN_QUOTIENT_H

#include "kern/num/newton.h"
#include "kern/op/arith.h"

// How often x can be doubled.
TENON_INLINE int32_t tenon_quotient_room(int32_t x) {
  return tenon_zeros_s32(x < 0 ? ~x : x) - 1;
}

// x / 2^n, rounded; from 32 on what x86 makes of the shifts in LiteRT, which
// are not defined there: quotients near zero by large divisors get it.
TENON_INLINE int32_t tenon_quotient_shift(int32_t x, int32_t n) {
  if (n < 0) return tenon_mul_pow2_s32(x, -n);
  if (n < 32) return tenon_div_pow2_s32(x, n);
  return tenon_add_s32(x >> (n & 31), x >= 0);
}

TENON_INLINE int32_t tenon_quotient_stored(const tenon_mul_s8 *p, int32_t x,
                                           int32_t y) {
  int32_t shift, inverse, room, quotient, right;
  if (y < 0) {
    x = -x;
    y = -y;
  }
  inverse = tenon_reciprocal_s32(y, 31, &shift);
  room = tenon_quotient_room(x);
  quotient = tenon_mul_high_s32((int32_t)((uint32_t)x << room), inverse);
  right = shift + room - p->shift;
  quotient = tenon_mul_high_s32(quotient, p->mult);
  quotient = tenon_quotient_shift(quotient, right);
  return tenon_clamp_s32(tenon_add_s32(quotient, p->y_zero), p->lo, p->hi);
}

// Defines the kernel `name` for elements T.
#define TENON_STORED_DIV(name, T)                                        \
  TENON_KERNEL_RANGE(name) {                                             \
    const tenon_mul_s8 *p = (const tenon_mul_s8 *)c->packed;             \
    const tenon_broadcast g =                                            \
        tenon_broadcast_of(&c->in[0], &c->in[1], &c->out[0]);            \
    const T *a = (const T *)c->in[0].data;                               \
    const T *b = (const T *)c->in[1].data;                               \
    for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {      \
      const tenon_broadcast_run run = tenon_broadcast_start(&g, i);      \
      int32_t x = a[run.a] - p->a_zero, y = b[run.b] - p->b_zero;        \
      if (y == 0) return tenon_call_fail(c, "a division by zero", 0, 0); \
      ((T *)c->out[0].data)[i] = (T)tenon_quotient_stored(p, x, y);      \
    }                                                                    \
    return TENON_OK;                                                     \
  }

#endif  // TENON_KERN_QUOTIENT_H
