// fully_connected.c - product with a transposed matrix, of 16-bit floats: what
// fully_connected_f32_ref.c computes of them, rounded once. Items are outputs;
// a row becomes floats in scratch.
#include "kern/op/clamp.h"
#include "kern/product/conv.h"

TENON_KERNEL_RANGE(KERNEL) {
  const tenon_fully_connected_attrs *a =
      (const tenon_fully_connected_attrs *)c->attrs;
  const tenon_limits_f32 m = tenon_limits_f32_of(a->lo, a->hi);
  const tenon_tensor *w = &c->in[1];
  const tenon_conv_tail tail = tenon_conv_tail_of(c);
  const ptrdiff_t n = w->dims[0], depth = w->dims[1];
  ELEMENT *y = (ELEMENT *)c->out[0].data;
  NUMBER *p = (NUMBER *)c->scratch;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    const ELEMENT *x = (const ELEMENT *)c->in[0].data + i / n * depth;
    const NUMBER *q = (const NUMBER *)w->data + i % n * depth;
    NUMBER acc = 0;
    if (i == (ptrdiff_t)begin || i % n == 0)
      for (ptrdiff_t k = 0; k < depth; ++k)
        p[k] = LOAD(x[k]);
    for (ptrdiff_t k = 0; k < depth; ++k)
      acc = fmaF(p[k], q[k], acc);
    acc = tenon_limit_f32(tenon_conv_finish_f32(&tail, acc, i % n), m);
    y[i] = STORE(acc);
  }
  return TENON_OK;
}
