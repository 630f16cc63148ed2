// mean_f32_ref.c - means over dimensions, in floats. Items are outputs.
#include "kern/reduce.h"

TENON_KERNEL_RANGE(tenon_k_mean_f32_ref) {
  const tenon_reduce r =
      tenon_reduce_of(&c->in[0], (const tenon_reduce_attrs *)c->attrs);
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i)
    y[i] = tenon_reduce_sum_f32(&r, x, i) / (float)r.count;
  return TENON_OK;
}
