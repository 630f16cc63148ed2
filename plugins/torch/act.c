// act.c - a string and an element type as arguments.
#ifndef TENON_EMITTED
#include <string.h>

#include "tenon/ext/plugin.h"

typedef struct act_attrs {
  const char *kind;
  tenon_dtype dtype;  // 0: None
} act_attrs;

static tenon_status lower(tenon_rewriter *rw, const tenon_node *n) {
  const act_attrs *a = tenon_rw_attrs(rw, n);
  tenon_value *x = tenon_rw_operand(rw, n, 0), *y = NULL;
  if (strcmp(a->kind, "relu") == 0)
    y = tenon_rw_op1(rw, "core::relu", x);
  else if (strcmp(a->kind, "neg") == 0)
    y = tenon_rw_op1(rw, "core::neg", x);
  else if (strcmp(a->kind, "cube") == 0)
    y = tenon_rw_op2(rw, "core::mul", tenon_rw_op2(rw, "core::mul", x, x), x);
  else
    return tenon_rw_fail(rw, "kind is '%s'; known are relu, cube, neg",
                         a->kind);
  if (a->dtype && a->dtype != tenon_rw_type(rw, x)->dtype) {
    tenon_arg args[] = {{"dtype", TENON_KIND_DTYPE, {0}}, TENON_END_ARGS};
    args[0].as.i = a->dtype;
    y = tenon_rw_op(rw, "core::cast", &y, 1, args);
  }
  return tenon_rw_replace(rw, n, y);
}

static const tenon_op_desc act = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "acme::act(Tensor x, str kind, *, ScalarType? dtype=None) -> Tensor",
    .doc = "relu, cube or neg of x, in another type if one is given.",
    TENON_OP_MEMBERS(act_attrs, kind, dtype),
    .lower = lower,
};

TENON_PLUGIN_OPS(torch_act, "1.0.0", &act);

#endif  // TENON_EMITTED
