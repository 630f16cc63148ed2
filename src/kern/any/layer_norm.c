// layer_norm.c - core::layer_norm of 16-bit floats: what layer_norm_f32_ref.c
// computes of them, rounded once. Items are rows, in scratch as floats.
#include "kern/op/layer_norm.h"

static NUMBER NAME_square(NUMBER x) {
  return x * x;
}
TENON_SUM_FUNCTIONS(NAME_sum, NUMBER, NUMBER, (NUMBER))
TENON_SUM_FUNCTIONS(NAME_squares, NUMBER, NUMBER, NAME_square)

TENON_KERNEL_RANGE(KERNEL) {
  const tenon_layer_norm_attrs *a = (const tenon_layer_norm_attrs *)c->attrs;
  const ptrdiff_t n = c->in[0].dims[c->in[0].rank - 1];
  const tenon_reduce r = tenon_layer_norm_row(n);
  const NUMBER *w = c->in[1].dtype ? (const NUMBER *)c->in[1].data : NULL;
  const NUMBER *b = c->in[2].dtype ? (const NUMBER *)c->in[2].data : NULL;
  NUMBER *v = (NUMBER *)c->scratch;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const ELEMENT *x = (const ELEMENT *)c->in[0].data + row * n;
    ELEMENT *y = (ELEMENT *)c->out[0].data + row * n;
    NUMBER mean, root;
    for (ptrdiff_t i = 0; i < n; ++i)
      v[i] = LOAD(x[i]);
    mean = a->rms ? 0 : NAME_sum_of(&r, v, 0) / (NUMBER)n;
    for (ptrdiff_t i = 0; i < n && !a->rms; ++i)
      v[i] -= mean;
    root = NAME_squares_of(&r, v, 0) / (NUMBER)n;
    root = 1 / sqrtF(root + (NUMBER)a->eps);
    for (ptrdiff_t i = 0; i < n; ++i) {
      NUMBER z = v[i] * root;
      if (w) z *= w[i];
      if (b) z += b[i];
      y[i] = STORE(z);
    }
  }
  return TENON_OK;
}
