// kern/isa/arm/arith_any.h - sums, differences and products of quantised
// numbers, one operand or both repeated (kern/broadcast.h), and within limits.
//
// They are those of operands of one shape, for each run of neighbours. An
// operand of which a run has one element is repeated in a buffer. Limits are
// applied to the results, which are saturated: within int8 that is the same.
#ifndef TENON_KERN_ISA_ARM_ARITH_ANY_H
#define TENON_KERN_ISA_ARM_ARITH_ANY_H

#include <string.h>

#include "kern/broadcast.h"
#include "kern/isa/arm/arm_packed.h"

// `n` results of two operands, in their order.
typedef void tenon_arm_arith(const tenon_arm_sum *s, const int8_t *a,
                             const int8_t *b, int8_t *to, int32_t n);

enum { TENON_ARM_SAME = 64 };  // elements of the buffer

// `n` results, in pieces, where b has one element.
static inline __attribute__((always_inline, unused)) void tenon_arm_arith_one(
    const tenon_arm_sum *s, const int8_t *a, const int8_t *b, int8_t *to,
    int32_t n, bool is_second, tenon_arm_arith *f) {
  int8_t same[TENON_ARM_SAME];
  memset(same, *b, (size_t)(n < TENON_ARM_SAME ? n : TENON_ARM_SAME));
  for (int32_t some; n > 0; n -= some, a += some, to += some) {
    some = n < TENON_ARM_SAME ? n : TENON_ARM_SAME;
    f(s, is_second ? a : same, is_second ? same : a, to, some);
  }
}

static inline __attribute__((always_inline, unused)) void tenon_arm_arith_runs(
    const tenon_call *c, int32_t begin, int32_t end, tenon_arm_arith *f) {
  const tenon_arm_sum *s = (const tenon_arm_sum *)c->packed;
  const tenon_broadcast g =
      tenon_broadcast_of(&c->in[0], &c->in[1], &c->out[0]);
  const ptrdiff_t step_a = g.a[g.rank - 1], step_b = g.b[g.rank - 1];
  tenon_broadcast_run run = tenon_broadcast_start(&g, begin);
  for (int32_t i = begin; i < end;) {
    int32_t n = (int32_t)run.count;
    const int8_t *a = (const int8_t *)c->in[0].data + run.a;
    const int8_t *b = (const int8_t *)c->in[1].data + run.b;
    int8_t *to = (int8_t *)c->out[0].data + i;
    if (n > end - i) n = end - i;
    if (step_a == step_b)
      f(s, a, b, to, n);
    else if (step_b == 0)
      tenon_arm_arith_one(s, a, b, to, n, true, f);
    else
      tenon_arm_arith_one(s, b, a, to, n, false, f);
    i += n;
    tenon_broadcast_next(&g, &run);
  }
}

#endif  // TENON_KERN_ISA_ARM_ARITH_ANY_H
