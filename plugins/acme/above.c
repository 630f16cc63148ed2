// above.c - a size that data decide: the elements of x above a limit, in order.
#include "tenon/tensor.h"

typedef struct above_attrs {
  double limit;
} above_attrs;

// There is room for all of x; how many there are is said in `sizes`.
TENON_KERNEL(acme_above_f32) {
  float limit = (float)((const above_attrs *)c->attrs)->limit;
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  size_t n = tenon_count(&c->in[0]);
  int64_t kept = 0;
  for (size_t i = 0; i < n; ++i) {
    if (x[i] > limit) y[kept++] = x[i];
  }
  c->sizes[0] = kept;
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static tenon_status above_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim n = {1, 0};
  if (x->dtype != TENON_F32) return tenon_infer_fail(c, "x must be f32");
  for (int i = 0; i < x->rank; ++i)
    n = c->api->dim(c, TENON_DIM_MUL, n, x->dims[i]);
  n = c->api->decided(c, n);
  tenon_type y = *x;
  y.dims = &n;
  y.rank = 1;
  return tenon_infer_out(c, 0, &y);
}

static const tenon_op_desc above = {
    TENON_OP(TENON_OP_PURE),
    .schema = "acme::above(Tensor x, *, float limit) -> Tensor",
    .doc = "The elements above a limit, in order.",
    TENON_OP_MEMBERS(above_attrs, limit),
    .infer = above_infer,
    TENON_OP_KERNEL(acme_above_f32, .flags = TENON_KERNEL_NOFAIL,
                    .types = "f32 -> f32"),
    .tflite_name = "AcmeAbove",
};

TENON_PLUGIN_OPS(acme_above, "1.0.0", &above);

#endif  // TENON_EMITTED
