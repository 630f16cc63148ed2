// weight_only_linear_f32_ref.c - product of floats with a transposed matrix of
// scaled integers.
//
// Items are outputs. Each is one chain of fused multiply-adds over k, begun at
// zero, the bias added last.
#include <math.h>

#include "kern/weight_only.h"

TENON_KERNEL_RANGE(tenon_k_weight_only_linear_f32_ref) {
  const tenon_tensor *w = &c->in[1];
  const float *scale = (const float *)c->in[2].data;
  const float *zero = (const float *)c->in[3].data;
  const float *bias = (const float *)c->in[4].data;
  const ptrdiff_t n = w->dims[0], depth = w->dims[1];
  const ptrdiff_t block = tenon_weight_only_block(c);
  const int8_t *q = (const int8_t *)w->data;
  float *y = (float *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    const float *p = (const float *)c->in[0].data + i / n * depth;
    const ptrdiff_t row = i % n * depth;
    float acc = 0.0f;
    for (ptrdiff_t k = 0; k < depth; ++k) {
      const ptrdiff_t at = (row + k) / block;
      float v = (float)q[row + k];
      if (zero) v -= zero[at];
      if (scale) v *= scale[at];
      acc = fmaf(p[k], v, acc);
    }
    if (bias) acc += bias[i % n];
    y[i] = acc;
  }
  return TENON_OK;
}
