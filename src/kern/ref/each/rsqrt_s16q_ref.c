// rsqrt_s16q_ref.c - 1 by the square root of a quantised 16-bit value, from a
// table; what is below zero has none, and fails as in LiteRT.
#include "kern/loop/lookup.h"

TENON_KERNEL_RANGE(tenon_k_rsqrt_s16q_ref) {
  const tenon_lookup_s16 *t = (const tenon_lookup_s16 *)c->packed;
  const int16_t *x = (const int16_t *)c->in[0].data;
  const tenon_quant *q = c->in[0].quant;
  const int32_t zero = q->zero ? q->zero[0] : 0;
  int16_t *y = (int16_t *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    if (x[i] < zero)
      return tenon_call_fail(c, "the square root of {0} steps below zero",
                             zero - x[i], 0);
    y[i] = tenon_lookup_at(t, x[i]);
  }
  return TENON_OK;
}
