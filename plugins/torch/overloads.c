// overloads.c - two overloads of one name, each an operator of its own: a
// descriptor of one never serves the other.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

// x * y + 1.
static tenon_status lower_tensor(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x = tenon_rw_operand(rw, n, 0), *y = tenon_rw_operand(rw, n, 1);
  tenon_value *one = tenon_rw_scalar(rw, tenon_rw_type(rw, x)->dtype, 1);
  tenon_value *product = tenon_rw_op2(rw, "core::mul", x, y);
  return tenon_rw_replace(rw, n, tenon_rw_op2(rw, "core::add", product, one));
}

typedef struct scalar_attrs {
  tenon_scalar y;
} scalar_attrs;

// x * y - 1, where y is a number with its kind.
static tenon_status lower_scalar(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_scalar y = ((const scalar_attrs *)tenon_rw_attrs(rw, n))->y;
  tenon_value *x = tenon_rw_operand(rw, n, 0);
  tenon_dtype t = tenon_rw_type(rw, x)->dtype;
  double by = y.kind == TENON_KIND_FLOAT ? y.as.f : (double)y.as.i;
  tenon_value *product =
      tenon_rw_op2(rw, "core::mul", x, tenon_rw_scalar(rw, t, by));
  return tenon_rw_replace(
      rw, n, tenon_rw_op2(rw, "core::sub", product, tenon_rw_scalar(rw, t, 1)));
}

static const tenon_op_desc tensor = {
    TENON_OP(TENON_OP_PURE),
    .schema = "acme::op(Tensor x, Tensor y) -> Tensor",
    .doc = "x * y + 1.",
    .lower = lower_tensor,
};

static const tenon_op_desc scalar = {
    TENON_OP(TENON_OP_PURE),
    .schema = "acme::op.scalar(Tensor x, Scalar y) -> Tensor",
    .doc = "x * y - 1.",
    TENON_OP_MEMBERS(scalar_attrs, y),
    .lower = lower_scalar,
};

TENON_PLUGIN_OPS(torch_overloads, "1.0.0", &tensor, &scalar);

#endif  // TENON_EMITTED
