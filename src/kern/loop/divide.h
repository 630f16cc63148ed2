// kern/loop/divide.h - division of integers, and the loop of the operators that
// divide: a zero divisor is a fault.
//
// The least number by -1 wraps.
#ifndef TENON_KERN_DIVIDE_H
#define TENON_KERN_DIVIDE_H

#include "kern/loop/broadcast.h"

TENON_INLINE int64_t tenon_quotient_s64(int64_t x, int64_t y) {
  return y == -1 ? (int64_t)(UINT64_C(0) - (uint64_t)x) : x / y;
}
TENON_INLINE uint64_t tenon_quotient_u64(uint64_t x, uint64_t y) {
  return x / y;
}

// Towards minus infinity.
TENON_INLINE int64_t tenon_floor_quotient_s64(int64_t x, int64_t y) {
  int64_t q = tenon_quotient_s64(x, y);
  bool is_less = y != -1 && x % y != 0 && (x < 0) != (y < 0);
  return is_less ? q - 1 : q;
}
TENON_INLINE uint64_t tenon_floor_quotient_u64(uint64_t x, uint64_t y) {
  return x / y;
}

// What is left, with the sign of x.
TENON_INLINE int64_t tenon_rest_s64(int64_t x, int64_t y) {
  return y == -1 ? 0 : x % y;
}
TENON_INLINE uint64_t tenon_rest_u64(uint64_t x, uint64_t y) {
  return x % y;
}

// What is left, with the sign of y.
TENON_INLINE int64_t tenon_floor_rest_s64(int64_t x, int64_t y) {
  int64_t r = tenon_rest_s64(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
TENON_INLINE uint64_t tenon_floor_rest_u64(uint64_t x, uint64_t y) {
  return x % y;
}

// TENON_BROADCAST_AS for integers; `expr` is not computed where y is zero.
#define TENON_DIVIDE_AS(name, T, Number, STORE, BEFORE, expr)                 \
  TENON_KERNEL_RANGE(name) {                                                  \
    const tenon_broadcast g =                                                 \
        tenon_broadcast_of(&c->in[0], &c->in[1], &c->out[0]);                 \
    const ptrdiff_t step_a = g.a[g.rank - 1], step_b = g.b[g.rank - 1];       \
    T *to = (T *)c->out[0].data;                                              \
    BEFORE                                                                    \
    tenon_broadcast_run run = tenon_broadcast_start(&g, (ptrdiff_t)begin);    \
    for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end;) {               \
      ptrdiff_t n = run.count;                                                \
      const T *a = (const T *)c->in[0].data + run.a;                          \
      const T *b = (const T *)c->in[1].data + run.b;                          \
      if (n > (ptrdiff_t)end - i) n = (ptrdiff_t)end - i;                     \
      for (ptrdiff_t k = 0; k < n; ++k) {                                     \
        const Number x = a[k * step_a], y = b[k * step_b];                    \
        if (y == 0)                                                           \
          return tenon_call_fail(c, "division by zero at element {0}", i + k, \
                                 0);                                          \
        to[i + k] = STORE(expr);                                              \
      }                                                                       \
      i += n;                                                                 \
      tenon_broadcast_next(&g, &run);                                         \
    }                                                                         \
    return TENON_OK;                                                          \
  }

#endif  // TENON_KERN_DIVIDE_H
