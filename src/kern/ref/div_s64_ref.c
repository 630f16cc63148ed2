// div_s64_ref.c - x / y in integers, towards zero, limited. The least number by
// -1 wraps; a zero is a fault.
#include "kern/arith.h"

static int64_t div_s64_ref_quotient(int64_t x, int64_t y) {
  return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}

TENON_KERNEL_RANGE(tenon_k_div_s64_ref) {
  const tenon_broadcast g =
      tenon_broadcast_of(&c->in[0], &c->in[1], &c->out[0]);
  TENON_ARITH_LIMITS_S64(INT64_MIN, INT64_MAX)
  int64_t *to = (int64_t *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end;) {
    ptrdiff_t at_a, at_b, n = tenon_broadcast_at(&g, i, &at_a, &at_b);
    const int64_t *a = (const int64_t *)c->in[0].data + at_a;
    const int64_t *b = (const int64_t *)c->in[1].data + at_b;
    if (n > (ptrdiff_t)end - i) n = (ptrdiff_t)end - i;
    for (; n > 0; --n, ++i, a += g.a[g.rank - 1], b += g.b[g.rank - 1]) {
      if (*b == 0)
        return tenon_call_fail(c, "division by zero at element {0}", i, 0);
      to[i] = (int64_t)tenon_limit_s64(div_s64_ref_quotient(*a, *b), m);
    }
  }
  return TENON_OK;
}
