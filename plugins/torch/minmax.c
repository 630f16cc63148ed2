// minmax.c - minimum and maximum along a dimension: two results.
#include "tenon/tensor.h"

typedef struct minmax_attrs {
  int64_t dim;
} minmax_attrs;

TENON_KERNEL(torch_minmax_f32) {
  const tenon_tensor *t = &c->in[0];
  const float *x = (const float *)t->data;
  float *least = (float *)c->out[0].data, *most = (float *)c->out[1].data;
  int64_t dim = ((const minmax_attrs *)c->attrs)->dim;
  size_t inner = 1, outer = 1, n;
  if (dim < 0) dim += t->rank;
  n = (size_t)t->dims[dim];
  for (int i = 0; i < t->rank; ++i) {
    if (i < dim) outer *= (size_t)t->dims[i];
    if (i > dim) inner *= (size_t)t->dims[i];
  }
  for (size_t o = 0; o < outer; ++o) {
    for (size_t i = 0; i < inner; ++i) {
      const float *from = x + o * n * inner + i;
      float lo = from[0], hi = from[0];
      for (size_t k = 1; k < n; ++k) {
        float v = from[k * inner];
        lo = v < lo || v != v ? v : lo;
        hi = v > hi || v != v ? v : hi;
      }
      *least++ = lo;
      *most++ = hi;
    }
  }
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static tenon_status infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  int64_t dim = ((const minmax_attrs *)tenon_infer_attrs(c))->dim;
  tenon_dim dims[TENON_MAX_RANK];
  tenon_type y = *x;
  if (dim < 0) dim += x->rank;
  if (dim < 0 || dim >= x->rank)
    return tenon_infer_fail(c, "dim %d of %d dimensions", (int)dim, x->rank);
  if (!x->dims[dim].symbol && x->dims[dim].value == 0)
    return tenon_infer_fail(c, "nothing along dim %d", (int)dim);
  for (int i = 0, k = 0; i < x->rank; ++i) {
    if (i != dim) dims[k++] = x->dims[i];
  }
  y.dims = dims;
  --y.rank;
  TENON_TRY(tenon_infer_out(c, 0, &y));
  return tenon_infer_out(c, 1, &y);
}

static const tenon_op_desc minmax = {
    TENON_OP(TENON_OP_PURE),
    .schema = "acme::minmax(Tensor x, int dim=-1) -> (Tensor min, Tensor max)",
    .doc = "Minimum and maximum along a dimension, which goes; NaN wins.",
    TENON_OP_MEMBERS(minmax_attrs, dim),
    .attrs_type = "minmax_attrs",
    .infer = infer,
    TENON_OP_KERNEL(torch_minmax_f32, .flags = TENON_KERNEL_NOFAIL,
                    .types = "f32 -> f32, f32"),
};

TENON_PLUGIN_OPS(torch_minmax, "1.0.0", &minmax);

#endif  // TENON_EMITTED
