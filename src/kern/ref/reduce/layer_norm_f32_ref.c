// layer_norm_f32_ref.c - core::layer_norm on floats. Items are rows.
#include "kern/op/layer_norm.h"

#include <math.h>

#define LAYER_NORM_PLAIN(x) (x)
#define LAYER_NORM_SQUARE(x) ((x) * (x))
TENON_SUM_FUNCTIONS(layer_norm_f32_ref_sum, float, float, LAYER_NORM_PLAIN)
TENON_SUM_FUNCTIONS(layer_norm_f32_ref_squares, float, float, LAYER_NORM_SQUARE)
#undef LAYER_NORM_PLAIN
#undef LAYER_NORM_SQUARE

TENON_KERNEL_RANGE(tenon_k_layer_norm_f32_ref) {
  const tenon_layer_norm_attrs *a = (const tenon_layer_norm_attrs *)c->attrs;
  const ptrdiff_t n = c->in[0].dims[c->in[0].rank - 1];
  const tenon_reduce r = tenon_layer_norm_row(n);
  const float *w = c->in[1].dtype ? (const float *)c->in[1].data : NULL;
  const float *b = c->in[2].dtype ? (const float *)c->in[2].data : NULL;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const float *x = (const float *)c->in[0].data + row * n;
    float *y = (float *)c->out[0].data + row * n;
    const float mean =
        a->rms ? 0.0f : layer_norm_f32_ref_sum_of(&r, x, 0) / (float)n;
    float root;
    for (ptrdiff_t i = 0; i < n; ++i)
      y[i] = a->rms ? x[i] : x[i] - mean;
    root = layer_norm_f32_ref_squares_of(&r, y, 0) / (float)n;
    root = 1.0f / sqrtf(root + (float)a->eps);
    for (ptrdiff_t i = 0; i < n; ++i) {
      y[i] *= root;
      if (w) y[i] *= w[i];
      if (b) y[i] += b[i];
    }
  }
  return TENON_OK;
}
