// scale_shift.c - two operators with names that are no words of C, and one
// kernel for both: y = x * scale + shift.
#include "tenon/tensor.h"

typedef struct scale_shift_attrs {
  double scale, shift;
} scale_shift_attrs;

TENON_KERNEL(acme_scale_shift_f32) {
  const scale_shift_attrs *a = (const scale_shift_attrs *)c->attrs;
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  size_t n = tenon_count(&c->in[0]);
  for (size_t i = 0; i < n; ++i)
    y[i] = x[i] * (float)a->scale + (float)a->shift;
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static const tenon_field fields[] =
    TENON_FIELDS(scale_shift_attrs, scale, shift);

static tenon_status like_x(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  if (x->dtype != TENON_F32) return tenon_infer_fail(c, "x must be f32");
  return tenon_infer_out(c, 0, x);
}

static tenon_status to_mul_add(tenon_rewriter *rw, const tenon_node *node) {
  const scale_shift_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *y = tenon_rw_op2(rw, "core::mul", tenon_rw_operand(rw, node, 0),
                                tenon_rw_scalar(rw, TENON_F32, a->scale));
  y = tenon_rw_op2(rw, "core::add", y,
                   tenon_rw_scalar(rw, TENON_F32, a->shift));
  return tenon_rw_replace(rw, node, y);
}

static const tenon_kernel_desc scale_shift_f32 = {
    TENON_KERNEL_RUN(acme_scale_shift_f32),
    .flags = TENON_KERNEL_NOFAIL,
    .in_place = TENON_IN_PLACE(0, 0),
    .types = "f32 -> f32",
};
static const tenon_kernel_desc *const kernels[] = {&scale_shift_f32, NULL};

static const tenon_op_desc my_op = {
    TENON_OP(TENON_OP_PURE),
    .schema = "acme::my_op(Tensor x, *, float scale, float shift) -> Tensor",
    .doc = "Multiplies by a constant and adds another.",
    TENON_OP_ATTRS(scale_shift_attrs, fields),
    .infer = like_x,
    .kernels = kernels,
    .lower = to_mul_add,
    .tflite_name = "my.op v2/\xce\xb2",  // a beta
};

static const tenon_op_desc scale_shift = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "acme::scale_shift(Tensor x, *, float scale, float shift) -> Tensor",
    .doc = "Multiplies by a constant and adds another.",
    TENON_OP_ATTRS(scale_shift_attrs, fields),
    .infer = like_x,
    .kernels = kernels,
    .lower = to_mul_add,
    .tflite_name = "scale & shift (x)",
};

TENON_PLUGIN_OPS(acme_scale_shift, "1.0.0", &my_op, &scale_shift);

#endif  // TENON_EMITTED
