// flex.c - operators of TensorFlow itself that a converter has left in a
// .tflite
// ("Select TF ops", custom codes that begin with Flex) and that one core
// operator computes: each is lowered to it.
//
// Facts: the documentation of tf.raw_ops. The options hold the name of the
// operator and its NodeDef; these have no attribute there but the element type,
// which the tensors have, too. A row more is an operator more.
#include "tenon/ext/plugin.h"

static tenon_status flex_read(tenon_options *o, void *attrs) {
  (void)o;
  (void)attrs;
  return TENON_OK;
}

static tenon_status flex_lower(tenon_rewriter *rw, const tenon_node *node,
                               const char *op, int n) {
  tenon_value *in[2] = {tenon_rw_operand(rw, node, 0), NULL};
  if (n == 2) in[1] = tenon_rw_operand(rw, node, 1);
  return tenon_rw_replace(rw, node, tenon_rw_op(rw, op, in, (uint32_t)n, NULL));
}

#define FLEX_OPERATORS(ONE, TWO) \
  ONE(Acos, acos)                \
  ONE(Acosh, acosh)              \
  ONE(Asin, asin)                \
  ONE(Asinh, asinh)              \
  ONE(Atan, atan)                \
  ONE(Atanh, atanh)              \
  ONE(BesselI0, i0)              \
  ONE(BesselI0e, i0e)            \
  ONE(BesselI1, i1)              \
  ONE(BesselI1e, i1e)            \
  ONE(BesselJ0, bessel_j0)       \
  ONE(BesselJ1, bessel_j1)       \
  ONE(BesselY0, bessel_y0)       \
  ONE(BesselY1, bessel_y1)       \
  ONE(Cosh, cosh)                \
  ONE(Digamma, digamma)          \
  ONE(Erf, erf)                  \
  ONE(Erfc, erfc)                \
  ONE(Erfinv, erfinv)            \
  ONE(Expm1, expm1)              \
  ONE(Invert, bitwise_not)       \
  ONE(IsInf, isinf)              \
  ONE(IsNan, isnan)              \
  ONE(Lgamma, lgamma)            \
  ONE(Log1p, log1p)              \
  ONE(Ndtri, ndtri)              \
  ONE(Rint, round)               \
  ONE(Sinh, sinh)                \
  ONE(Tan, tan)                  \
  TWO(Atan2, atan2)              \
  TWO(BitwiseAnd, bitwise_and)   \
  TWO(BitwiseOr, bitwise_or)     \
  TWO(BitwiseXor, bitwise_xor)   \
  TWO(Igamma, igamma)            \
  TWO(Igammac, igammac)          \
  TWO(NextAfter, nextafter)      \
  TWO(Zeta, zeta)

#define FLEX_ROW(NAME, CORE, N, OPERANDS)                    \
  static tenon_status lower_##NAME(tenon_rewriter *rw,       \
                                   const tenon_node *node) { \
    return flex_lower(rw, node, "core::" #CORE, N);          \
  }                                                          \
  static const tenon_op_desc flex_##NAME = {                 \
      TENON_OP(TENON_OP_PURE),                               \
      .schema = "flex::" #NAME "(" OPERANDS ") -> Tensor",   \
      .doc = "TensorFlow's " #NAME ".",                      \
      .lower = lower_##NAME,                                 \
      .tflite_name = "Flex" #NAME,                           \
      .read_tflite = flex_read,                              \
  };
#define FLEX_ONE(NAME, CORE) FLEX_ROW(NAME, CORE, 1, "Tensor x")
#define FLEX_TWO(NAME, CORE) FLEX_ROW(NAME, CORE, 2, "Tensor x, Tensor y")
FLEX_OPERATORS(FLEX_ONE, FLEX_TWO)

#define FLEX_REFER(NAME, CORE) &flex_##NAME,
static const tenon_op_desc *const flex_ops[] = {
    FLEX_OPERATORS(FLEX_REFER, FLEX_REFER) NULL};

static const tenon_plugin flex = {
    TENON_PLUGIN_HEADER,
    .name = "flex",
    .version = "1.0.0",
    .ops = flex_ops,
};
TENON_PLUGIN_EXPORT(flex, flex);
