// accum.c - x += scale * y: an operator that writes its operand and returns
// nothing. in[0] is x before and out[0] x after, at one address.
#include "tenon/tensor.h"

typedef struct accum_attrs {
  double scale;
} accum_attrs;

TENON_KERNEL(torch_accum_f32) {
  float scale = (float)((const accum_attrs *)c->attrs)->scale;
  const float *y = (const float *)c->in[1].data;
  float *x = (float *)c->out[0].data;
  size_t n = tenon_count(&c->out[0]), period = tenon_count(&c->in[1]);
  for (size_t i = 0; i < n; ++i)
    x[i] += scale * y[i % period];
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

// y has the shape of x, or its last dimensions.
static tenon_status infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *y = tenon_infer_in(c, 1);
  for (int i = 1; i <= y->rank; ++i) {
    if (i > x->rank ||
        y->dims[y->rank - i].value != x->dims[x->rank - i].value ||
        y->dims[y->rank - i].symbol != x->dims[x->rank - i].symbol)
      return tenon_infer_fail(c, "y does not have the last dimensions of x");
  }
  return tenon_infer_out(c, 0, x);
}

static const tenon_op_desc accum = {
    TENON_OP(TENON_OP_PURE),
    .schema = "acme::accum_(Tensor(a!) x, Tensor y, float scale=1.0) -> ()",
    .doc = "Adds scale * y to x, in place.",
    TENON_OP_MEMBERS(accum_attrs, scale),
    .attrs_type = "accum_attrs",
    .infer = infer,
    TENON_OP_KERNEL(torch_accum_f32, .flags = TENON_KERNEL_NOFAIL,
                    .types = "f32, f32 -> f32"),
};

TENON_PLUGIN_OPS(torch_accum, "1.0.0", &accum);

#endif  // TENON_EMITTED
