// fully_connected_f32_ref.c - product with a transposed matrix, in floats.
//
// Items are outputs. Each is one chain of fused multiply-adds over k, begun at
// zero, with bias, scale and shift behind it: the order that every other kernel
// keeps.
#include <math.h>

#include "kern/op/clamp.h"
#include "kern/product/conv.h"
#include "tenon/tensor.h"

TENON_KERNEL_RANGE(tenon_k_fully_connected_f32_ref) {
  const tenon_fully_connected_attrs *a =
      (const tenon_fully_connected_attrs *)c->attrs;
  const tenon_limits_f32 m = tenon_limits_f32_of(a->lo, a->hi);
  const tenon_tensor *w = &c->in[1];
  const tenon_conv_tail tail = tenon_conv_tail_of(c);
  const ptrdiff_t n = w->dims[0], depth = w->dims[1];
  float *y = (float *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    const float *p = (const float *)c->in[0].data + i / n * depth;
    const float *q = (const float *)w->data + i % n * depth;
    float acc = 0.0f;
    for (ptrdiff_t k = 0; k < depth; ++k)
      acc = fmaf(p[k], q[k], acc);
    y[i] = tenon_limit_f32(tenon_conv_finish_f32(&tail, acc, i % n), m);
  }
  return TENON_OK;
}
