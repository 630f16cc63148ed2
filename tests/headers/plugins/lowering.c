// stranger::affine(x, a, b) is a * x + b, by a lowering in C, and
// stranger::times(x, n) n * x, by one as text.
#include "tenon/ext/plugin.h"

typedef struct affine_attrs {
  double a, b;
} affine_attrs;
static const tenon_field affine_fields[] = {TENON_FIELD(affine_attrs, a),
                                            TENON_FIELD(affine_attrs, b),
                                            TENON_END_FIELDS};

static tenon_status lower_affine(tenon_rewriter *rw, const tenon_node *node) {
  const affine_attrs *at = (const affine_attrs *)tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_rw_operand(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  if (!t) return tenon_rw_fail(rw, "x must be there");
  tenon_value *a = tenon_rw_scalar(rw, t->dtype, at->a);
  tenon_value *b = tenon_rw_scalar(rw, t->dtype, at->b);
  return tenon_rw_replace(
      rw, node,
      tenon_rw_op2(rw, "core::add", tenon_rw_op2(rw, "core::mul", x, a), b));
}

static const tenon_op_desc affine = {
    .struct_size = sizeof affine,
    .flags = TENON_OP_PURE,
    .schema = "stranger::affine(Tensor x, float a, float b=0.0) -> Tensor",
    .doc = "a * x + b.",
    .attrs_size = sizeof(affine_attrs),
    .fields = affine_fields,
    .lower = lower_affine,
};
static const tenon_op_desc times = {
    .struct_size = sizeof times,
    .flags = TENON_OP_PURE | TENON_OP_DECLARED,
    .schema = "stranger::times(Tensor x, *, float n=2.0) -> Tensor",
    .doc = "n * x.",
};
static const tenon_op_desc *const ops[] = {&affine, &times, NULL};

static const tenon_lowering_desc by_text = {
    .struct_size = sizeof by_text,
    .name = "stranger times to mul",
    .op = "stranger::times",
    .to = "core::mul",
    .text =
        "%k = const $x.dtype {$n}\n"
        "%y = core::mul(%x, %k)\n"
        "return %y",
    .when = "$n != 1.0",
};
static const tenon_lowering_desc *const lowerings[] = {&by_text, NULL};

static const tenon_plugin plugin = {
    TENON_PLUGIN_HEADER, .name = "stranger_lowering", .version = "1.0.0",
    .ops = ops,          .lowerings = lowerings,
};
TENON_PLUGIN_EXPORT(stranger_lowering, plugin);
