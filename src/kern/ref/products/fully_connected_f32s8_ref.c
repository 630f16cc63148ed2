// fully_connected_f32s8_ref.c - product of floats with quantised weights, as
// LiteRT's dynamic-range FULLY_CONNECTED.
//
// Items are outputs; a range turns each row it touches into integers, in
// scratch, with a scale of its own.
#include "kern/op/clamp.h"
#include "kern/product/conv.h"
#include "kern/product/hybrid.h"

TENON_KERNEL_RANGE(tenon_k_fully_connected_f32s8_ref) {
  const tenon_fully_connected_attrs *a =
      (const tenon_fully_connected_attrs *)c->attrs;
  const tenon_limits_f32 m = tenon_limits_f32_of(a->lo, a->hi);
  const tenon_tensor *w = &c->in[1];
  const float *bias = (const float *)c->in[2].data;
  const ptrdiff_t n = w->dims[0], depth = w->dims[1];
  int8_t *row = (int8_t *)c->scratch;
  float *y = (float *)c->out[0].data;
  tenon_hybrid h = {1.0f, 0};
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    const int8_t *q = (const int8_t *)w->data + i % n * depth;
    uint32_t acc = 0;
    if (i == (ptrdiff_t)begin || i % n == 0)
      h = tenon_hybrid_quantize((const float *)c->in[0].data + i / n * depth,
                                depth, a->asymmetric, row);
    for (ptrdiff_t k = 0; k < depth; ++k)
      acc += (uint32_t)((row[k] - h.zero) * q[k]);
    y[i] = tenon_limit_f32(
        tenon_hybrid_real(h, w->quant, i % n, (int32_t)acc, bias), m);
  }
  return TENON_OK;
}
