// Real parts: a complex number is two floats, the real one first.
#include "tenon/tensor.h"

TENON_KERNEL_RANGE(tenon_k_real_c64_ref) {
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  for (int64_t i = begin; i < end; ++i)
    y[i] = x[2 * i];
  return TENON_OK;
}
