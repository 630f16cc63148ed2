// scaled_add.c - x + alpha * y, broadcast: an operator that is nothing but
// others.
//
//   @torch.library.custom_op("my_lib::scaled_add", mutates_args=())
//   def scaled_add(x: Tensor, y: Tensor, alpha: float) -> Tensor
//
// A lowering serves every element type, and what it builds is folded, fused and
// emitted like any other core operator.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

typedef struct scaled_add_attrs {
  double alpha;
} scaled_add_attrs;

static tenon_status lower(tenon_rewriter *rw, const tenon_node *n) {
  const scaled_add_attrs *a = tenon_rw_attrs(rw, n);
  tenon_value *x = tenon_rw_operand(rw, n, 0), *y = tenon_rw_operand(rw, n, 1);
  tenon_value *alpha =
      tenon_rw_scalar(rw, tenon_rw_type(rw, x)->dtype, a->alpha);
  tenon_value *scaled = tenon_rw_op2(rw, "core::mul", y, alpha);
  return tenon_rw_replace(rw, n, tenon_rw_op2(rw, "core::add", x, scaled));
}

static const tenon_op_desc scaled_add = {
    TENON_OP(TENON_OP_PURE),
    .schema = "my_lib::scaled_add(Tensor x, Tensor y, float alpha) -> Tensor",
    .doc = "x + alpha * y, broadcast.",
    TENON_OP_MEMBERS(scaled_add_attrs, alpha),
    .lower = lower,
};

TENON_PLUGIN_OPS(torch_scaled_add, "1.0.0", &scaled_add);

#endif  // TENON_EMITTED
