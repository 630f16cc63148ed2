// kern/isa/arm/arith_any.h - sums, differences and products of quantised
// numbers, one operand or both repeated (kern/loop/broadcast.h), and within
// limits.
//
// They are those of operands of one shape, for each run of neighbours. An
// operand of which a run has one element is repeated in a buffer. Limits are
// applied to the results, which are saturated: within the type that is the
// same.
#ifndef TENON_KERN_ISA_ARM_ARITH_ANY_H
#define TENON_KERN_ISA_ARM_ARITH_ANY_H

#include <string.h>

#include "kern/isa/arm/arm_packed.h"
#include "kern/loop/broadcast.h"

// `n` results of two operands, in their order.
typedef void tenon_arm_arith(const tenon_arm_sum *s, const void *a,
                             const void *b, void *to, int32_t n);

enum { TENON_ARM_SAME = 64 };  // bytes of the buffer
#define TENON_ARM_ALWAYS static inline __attribute__((always_inline, unused))

// `n` results of elements of 1 << `wide` bytes, in pieces, where b has one.
TENON_ARM_ALWAYS void tenon_arm_arith_one(const tenon_arm_sum *s,
                                          const int8_t *a, const int8_t *b,
                                          int8_t *to, int32_t n, int32_t wide,
                                          bool is_second, tenon_arm_arith *f) {
  const int32_t most = TENON_ARM_SAME >> wide;
  int16_t same[TENON_ARM_SAME / 2];
  memset(same, *b, (size_t)(n < most ? n : most));
  if (wide)
    for (int32_t i = 0; i < most; ++i)
      memcpy(&same[i], b, 2);
  for (int32_t some; n > 0; n -= some, a += some << wide, to += some << wide) {
    some = n < most ? n : most;
    if (is_second)
      f(s, a, same, to, some);
    else
      f(s, same, a, to, some);
  }
}

TENON_ARM_ALWAYS void tenon_arm_arith_runs(const tenon_call *c, int32_t begin,
                                           int32_t end, int32_t wide,
                                           tenon_arm_arith *f) {
  const tenon_arm_sum *s = (const tenon_arm_sum *)c->packed;
  const tenon_broadcast g =
      tenon_broadcast_of(&c->in[0], &c->in[1], &c->out[0]);
  const ptrdiff_t step_a = g.a[g.rank - 1], step_b = g.b[g.rank - 1];
  tenon_broadcast_run run = tenon_broadcast_start(&g, begin);
  for (int32_t i = begin; i < end;) {
    int32_t n = (int32_t)run.count;
    const int8_t *a = (const int8_t *)c->in[0].data + (run.a << wide);
    const int8_t *b = (const int8_t *)c->in[1].data + (run.b << wide);
    int8_t *to = (int8_t *)c->out[0].data + (i << wide);
    if (n > end - i) n = end - i;
    if (step_a == step_b)
      f(s, a, b, to, n);
    else if (step_b == 0)
      tenon_arm_arith_one(s, a, b, to, n, wide, true, f);
    else
      tenon_arm_arith_one(s, b, a, to, n, wide, false, f);
    i += n;
    tenon_broadcast_next(&g, &run);
  }
}

// The kernel `name` of elements T by `f`, and `limit`, which applies limits.
#define TENON_ARM_ARITH(name, T, f, limit)                                     \
  TENON_KERNEL_RANGE(name) {                                                   \
    const tenon_arm_sum *s = (const tenon_arm_sum *)c->packed;                 \
    const int32_t most = sizeof(T) == 1 ? INT8_MAX : INT16_MAX;                \
    T *y = (T *)c->out[0].data + (int32_t)begin;                               \
    if (s->alike)                                                              \
      f(s, (const T *)c->in[0].data + (int32_t)begin,                          \
        (const T *)c->in[1].data + (int32_t)begin, y, (int32_t)(end - begin)); \
    else                                                                       \
      tenon_arm_arith_runs(c, (int32_t)begin, (int32_t)end, sizeof(T) - 1, f); \
    if (s->lo != -1 - most || s->hi != most)                                   \
      limit(y, y, (int32_t)(end - begin), s->lo, s->hi);                       \
    return TENON_OK;                                                           \
  }

// Of sums by `add`, which takes the operand that is scaled first, and of
// differences by a function for each of the two that may be it.
#define TENON_ARM_SUM(name, T, add, limit)                                     \
  static void name##_run(const tenon_arm_sum *s, const void *a, const void *b, \
                         void *to, int32_t n) {                                \
    add(s, s->half ? a : b, s->half ? b : a, to, n);                           \
  }                                                                            \
  TENON_ARM_ARITH(name, T, name##_run, limit)
#define TENON_ARM_DIFFERENCE(name, T, first, second, limit)                    \
  static void name##_run(const tenon_arm_sum *s, const void *a, const void *b, \
                         void *to, int32_t n) {                                \
    if (s->half)                                                               \
      first(s, a, b, to, n);                                                   \
    else                                                                       \
      second(s, b, a, to, n);                                                  \
  }                                                                            \
  TENON_ARM_ARITH(name, T, name##_run, limit)

#endif  // TENON_KERN_ISA_ARM_ARITH_ANY_H
