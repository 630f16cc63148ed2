// gain.c - gain * x, then max(., 0) with relu; the result has the type of x.
//
// One kernel for f32, and a lowering for every other type: f16 and bf16 are
// computed in f32 and rounded once, integers lose what is behind the point.
#include "tenon/tensor.h"

typedef struct gain_attrs {
  double gain;
  bool relu;
} gain_attrs;

TENON_KERNEL(torch_gain_f32) {
  const gain_attrs *a = (const gain_attrs *)c->attrs;
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  float gain = (float)a->gain;
  size_t n = tenon_count(&c->in[0]);
  for (size_t i = 0; i < n; ++i) {
    float v = gain * x[i];
    y[i] = a->relu && v < 0.0f ? 0.0f : v;
  }
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static tenon_status infer(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}

static tenon_value *cast(tenon_rewriter *rw, tenon_value *x, tenon_dtype t) {
  tenon_arg args[] = {{"dtype", TENON_KIND_DTYPE, {0}}, TENON_END_ARGS};
  args[0].as.i = t;
  return tenon_rw_type(rw, x)->dtype == t
             ? x
             : tenon_rw_op(rw, "core::cast", &x, 1, args);
}

static tenon_status lower(tenon_rewriter *rw, const tenon_node *n) {
  const gain_attrs *a = tenon_rw_attrs(rw, n);
  tenon_value *x = tenon_rw_operand(rw, n, 0);
  tenon_dtype own = tenon_rw_type(rw, x)->dtype;
  tenon_dtype wide = own == TENON_F64 ? TENON_F64 : TENON_F32;
  tenon_value *y = tenon_rw_op2(rw, "core::mul", cast(rw, x, wide),
                                tenon_rw_scalar(rw, wide, a->gain));
  if (a->relu) {
    const tenon_arg lo[] = {tenon_arg_float("lo", 0), TENON_END_ARGS};
    y = tenon_rw_op(rw, "core::clamp", &y, 1, lo);
  }
  return tenon_rw_replace(rw, n, cast(rw, y, own));
}

static const tenon_op_desc gain = {
    TENON_OP(TENON_OP_PURE | TENON_OP_ELEMENTWISE),
    .schema =
        "acme::gain(Tensor x, *, float gain=1.0, bool relu=False) -> Tensor",
    .doc = "gain * x, not below 0 with relu.",
    TENON_OP_MEMBERS(gain_attrs, gain, relu),
    .attrs_type = "gain_attrs",
    .infer = infer,
    TENON_OP_KERNEL(torch_gain_f32, .flags = TENON_KERNEL_NOFAIL,
                    .in_place = TENON_IN_PLACE(0, 0), .types = "f32 -> f32"),
    .lower = lower,
};

TENON_PLUGIN_OPS(torch_gain, "1.0.0", &gain);

#endif  // TENON_EMITTED
