// resize_to.c - a list of sizes: x cut or filled with zeros to another shape.
#include "tenon/tensor.h"

typedef struct resize_to_attrs {
  tenon_ints size;
} resize_to_attrs;

TENON_KERNEL(torch_resize_to_f32) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  float *to = (float *)y->data;
  size_t n = tenon_count(y);
  for (size_t i = 0; i < n; ++i) {
    size_t rest = i, at = 0, step = 1;
    bool is_inside = true;
    for (int d = y->rank - 1; d >= 0; --d) {
      size_t k = rest % (size_t)y->dims[d];
      rest /= (size_t)y->dims[d];
      is_inside = is_inside && k < (size_t)x->dims[d];
      at += k * step;
      step *= (size_t)x->dims[d];
    }
    to[i] = is_inside ? ((const float *)x->data)[at] : 0.0f;
  }
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static tenon_status infer(tenon_infer *c) {
  const resize_to_attrs *a = tenon_infer_attrs(c);
  tenon_type y = *tenon_infer_in(c, 0);
  tenon_dim dims[TENON_MAX_RANK];
  if (a->size.count != y.rank)
    return tenon_infer_fail(c, "%zu sizes for %d dimensions", a->size.count,
                            y.rank);
  for (int i = 0; i < y.rank; ++i)
    dims[i] = c->api->size(c, "size", i);
  y.dims = dims;
  return tenon_infer_out(c, 0, &y);
}

static const tenon_op_desc resize_to = {
    TENON_OP(TENON_OP_PURE),
    .schema = "acme::resize_to(Tensor x, SymInt[] size) -> Tensor",
    .doc = "x in another shape: cut, or filled with zeros.",
    TENON_OP_MEMBERS(resize_to_attrs, size),
    .attrs_type = "resize_to_attrs",
    .infer = infer,
    TENON_OP_KERNEL(torch_resize_to_f32, .flags = TENON_KERNEL_NOFAIL,
                    .types = "f32 -> f32"),
};

TENON_PLUGIN_OPS(torch_resize_to, "1.0.0", &resize_to);

#endif  // TENON_EMITTED
