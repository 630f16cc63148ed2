// mean_ref.c - means of any float type: the sum, then one division. 16-bit
// floats round once at the end. The mean of nothing is NaN.
//
// Items are outputs.
#include "kern/reduce.h"

#define MEAN_REF(t)                                     \
  TENON_REDUCE_TYPE(mean_ref, t, t, tenon_carry_##t, 0, \
                    acc = tenon_plus_##t(acc, x);       \
                    , acc / (tenon_carry_##t)r.count)
TENON_PLAIN_REALS(MEAN_REF)

TENON_KERNEL_RANGE(tenon_k_mean_ref) {
  if (c->in[0].dtype == TENON_F64)
    mean_ref_f64(c, (ptrdiff_t)begin, (ptrdiff_t)end);
  else if (c->in[0].dtype == TENON_F16)
    mean_ref_f16(c, (ptrdiff_t)begin, (ptrdiff_t)end);
  else if (c->in[0].dtype == TENON_BF16)
    mean_ref_bf16(c, (ptrdiff_t)begin, (ptrdiff_t)end);
  else
    mean_ref_f32(c, (ptrdiff_t)begin, (ptrdiff_t)end);
  return TENON_OK;
}
