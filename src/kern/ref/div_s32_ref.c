// div_s32_ref.c - x / y in integers, towards zero, limited. The least number by
// -1 wraps; a zero is a fault.
#include "kern/arith.h"

static int32_t div_s32_ref_quotient(int32_t x, int32_t y) {
  return y == -1 ? (int32_t)(0 - (uint32_t)x) : x / y;
}

TENON_KERNEL_RANGE(tenon_k_div_s32_ref) {
  const tenon_broadcast g =
      tenon_broadcast_of(&c->in[0], &c->in[1], &c->out[0]);
  TENON_ARITH_LIMITS_S64(INT32_MIN, INT32_MAX)
  int32_t *to = (int32_t *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end;) {
    ptrdiff_t at_a, at_b, n = tenon_broadcast_at(&g, i, &at_a, &at_b);
    const int32_t *a = (const int32_t *)c->in[0].data + at_a;
    const int32_t *b = (const int32_t *)c->in[1].data + at_b;
    if (n > (ptrdiff_t)end - i) n = (ptrdiff_t)end - i;
    for (; n > 0; --n, ++i, a += g.a[g.rank - 1], b += g.b[g.rank - 1]) {
      if (*b == 0)
        return tenon_call_fail(c, "division by zero at element {0}", i, 0);
      to[i] = (int32_t)tenon_limit_s64(div_s32_ref_quotient(*a, *b), m);
    }
  }
  return TENON_OK;
}
