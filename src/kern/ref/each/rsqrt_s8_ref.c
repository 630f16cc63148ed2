// rsqrt_s8_ref.c - 1 by the square root of a quantised value, from a table.
// What is below zero has none, and fails as in LiteRT.
#include "kern/loop/table.h"

TENON_KERNEL_RANGE(tenon_k_rsqrt_s8_ref) {
  const int8_t *table = (const int8_t *)c->packed + 128;
  const int8_t *x = (const int8_t *)c->in[0].data;
  const tenon_quant *q = c->in[0].quant;
  const int32_t zero = q->zero ? q->zero[0] : 0;
  int8_t *y = (int8_t *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    if (x[i] < zero)
      return tenon_call_fail(c, "the square root of {0} steps below zero",
                             zero - x[i], 0);
    y[i] = table[x[i]];
  }
  return TENON_OK;
}
