// matmul_transposed_f32_ref.c - core::matmul_transposed on floats.
#include <math.h>

#include "kern/product/matmul.h"

// Each output is one chain over k, begun at zero, as in core::matmul.
TENON_KERNEL_RANGE(tenon_k_matmul_transposed_f32_ref) {
  const tenon_tensor *p = &c->in[0], *q = &c->in[1], *y = &c->out[0];
  const ptrdiff_t m = p->dims[p->rank - 2], depth = p->dims[p->rank - 1];
  const ptrdiff_t n = q->dims[q->rank - 2];
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const float *from = (const float *)p->data +
                        tenon_matmul_at(p, y, row / m) + row % m * depth;
    const float *other =
        (const float *)q->data + tenon_matmul_at(q, y, row / m);
    float *to = (float *)y->data + row * n;
    for (ptrdiff_t j = 0; j < n; ++j, other += depth) {
      float sum = 0.0f;
      for (ptrdiff_t k = 0; k < depth; ++k)
        sum = fmaf(from[k], other[k], sum);
      to[j] = sum;
    }
  }
  return TENON_OK;
}
