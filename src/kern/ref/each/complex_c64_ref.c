// Complex numbers of their parts, the real one first.
#include "tenon/tensor.h"

TENON_KERNEL_RANGE(tenon_k_complex_c64_ref) {
  const float *re = (const float *)c->in[0].data;
  const float *im = (const float *)c->in[1].data;
  float *y = (float *)c->out[0].data;
  for (int64_t i = begin; i < end; ++i) {
    y[2 * i] = re[i];
    y[2 * i + 1] = im[i];
  }
  return TENON_OK;
}
