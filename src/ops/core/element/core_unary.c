// core_unary.c - operators on one element at a time, and clamp, relu, relu6.
//
// Quantised functions of 8 bits are tables of 256 entries (core_table.h).
#include "kern/op/clamp.h"
#include "ops/core/core_rule.h"
#include "ops/core/core_shapes.h"
#include "ops/core/element/core_factor.h"
#include "ops/core/element/core_lookup.h"
#include "ops/core/element/core_table.h"

// Like the operand; a quantised result has a scale of its own.
CORE_SHAPES(unary_infer, "x[...] -> x[...]")

// --- Tables ------------------------------------------------------------------

#define TABLE_KERNEL(name)                                         \
  CORE_KERNEL_RANGE(name##_s8_ref, tenon_core_items, "s8q -> s8q", \
                    .in_place = TENON_IN_PLACE(0, 0),              \
                    .pack_size = tenon_core_table_size,            \
                    .pack = tenon_core_table_##name)

TABLE_KERNEL(tanh);
TABLE_KERNEL(logistic);
TABLE_KERNEL(abs);
TABLE_KERNEL(exp);
TABLE_KERNEL(log);

CORE_KERNEL_FAILING_RANGE(rsqrt_s8_ref, tenon_core_items, "s8q -> s8q",
                          .in_place = TENON_IN_PLACE(0, 0),
                          .pack_size = tenon_core_table_size,
                          .pack = tenon_core_table_rsqrt);

// 16 bits go through a table of 256 with what lies between; the result has the
// scale 2^-15.
#define SIGMOID_KERNEL(name)                                         \
  CORE_KERNEL_RANGE(                                                 \
      name##_s16q_ref, tenon_core_items, "s16q -> s16q",             \
      .in_place = TENON_IN_PLACE(0, 0), .match = tenon_core_is_unit, \
      .pack_size = tenon_core_sigmoid_size, .pack = tenon_core_sigmoid_##name)
SIGMOID_KERNEL(logistic);
SIGMOID_KERNEL(tanh);

#define LOOKUP_KERNEL(name)                                            \
  CORE_KERNEL_RANGE(name##_s16q_ref, tenon_core_items, "s16q -> s16q", \
                    .in_place = TENON_IN_PLACE(0, 0),                  \
                    .pack_size = tenon_core_lookup_size,               \
                    .pack = tenon_core_lookup_##name)
LOOKUP_KERNEL(exp);
LOOKUP_KERNEL(log);

CORE_KERNEL_FAILING_RANGE(rsqrt_s16q_ref, tenon_core_items, "s16q -> s16q",
                          .in_place = TENON_IN_PLACE(0, 0),
                          .pack_size = tenon_core_lookup_size,
                          .pack = tenon_core_lookup_rsqrt);

// LiteRT divides these scales in float.
static void ratio_pack(const tenon_call *c, tenon_opt_float lo,
                       tenon_opt_float hi, void *packed) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  float factor = x->quant->scale[0] / y->quant->scale[0];
  tenon_core_pack_requant(x, NULL, y, lo, hi, TENON_CORE_TWICE, packed);
  int32_t *mult = (int32_t *)((tenon_requant *)packed + 1);
  tenon_core_factor((double)factor, &mult[0], &mult[1]);
}

static tenon_status abs_pack(const tenon_call *c, void *packed) {
  const tenon_opt_float none = {0, false};
  ratio_pack(c, none, none, packed);
  return TENON_OK;
}

CORE_KERNEL_RANGE(abs_s16q_ref, tenon_core_items, "s16q -> s16q",
                  .in_place = TENON_IN_PLACE(0, 0),
                  .pack_size = tenon_core_factor_size, .pack = abs_pack);

// --- Plain functions ---------------------------------------------------------

#define UNARY_OF(name, its_flags, its_doc, ...)          \
  TENON_KERNELS_##name(CORE_ROW) CORE_OPERATOR_OF(       \
      name, CORE_EACH_HEADER | (its_flags), unary_infer, \
      (CORE_EACH(name) __VA_ARGS__), "(Tensor x) -> Tensor", its_doc)
#define UNARY(name, ...) UNARY_OF(name, 0, __VA_ARGS__)
#define FUNCTION(name, ...) UNARY_OF(name, TENON_OP_COSTLY, __VA_ARGS__)

UNARY(neg, "The negated value.", NULL);
UNARY(abs, "The absolute value.", CORE_K(abs_s8_ref), CORE_K(abs_s16q_ref));
FUNCTION(exp, "e to the power of x.", CORE_K(exp_s8_ref), CORE_K(exp_s16q_ref));
FUNCTION(log, "The natural logarithm.", CORE_K(log_s8_ref),
         CORE_K(log_s16q_ref));
UNARY(sqrt, "The square root.", NULL);
UNARY(rsqrt, "One over the square root.", CORE_K(rsqrt_s8_ref),
      CORE_K(rsqrt_s16q_ref));
UNARY(square, "x times x.", NULL);
FUNCTION(tanh, "The hyperbolic tangent.", CORE_K(tanh_s8_ref),
         CORE_K(tanh_s16q_ref));
FUNCTION(logistic, "1 / (1 + exp(-x)).", CORE_K(logistic_s8_ref),
         CORE_K(logistic_s16q_ref));
FUNCTION(silu, "x / (1 + exp(-x)).", NULL);
FUNCTION(softplus, "log(1 + exp(x)).", NULL);

// --- Any function of a byte --------------------------------------------------

#define TABLE_SIZE 256

static bool is_byte(const tenon_type *t) {
  return (t->dtype == TENON_S8 || t->dtype == TENON_U8) && !t->quant;
}

static tenon_status table_infer(tenon_infer *c) {
  if (!is_byte(tenon_infer_in(c, 0)) || !is_byte(tenon_infer_in(c, 1)))
    return tenon_infer_fail(c, "x and table must be integers of 8 bits");
  return tenon_core_shapes(c, "x[...], table[256] -> table[...]");
}

CORE_KERNEL_RANGE(table_ref, tenon_core_items, "s8|u8, s8|u8 -> s8|u8",
                  .in_place = TENON_IN_PLACE(0, 0));
CORE_OPERATOR(
    table, table_infer, (CORE_K(table_ref)),
    "(Tensor x, Tensor table) -> Tensor",
    "For each number of 8 bits what a table of 256 has for it.\n"
    "Negative numbers stand behind the others, in the order of bytes.");

// --- Limits ------------------------------------------------------------------

static tenon_status clamp_pack(const tenon_call *c, void *packed) {
  const tenon_clamp_attrs *a = c->attrs;
  ratio_pack(c, a->lo, a->hi, packed);
  return TENON_OK;
}

#define CLAMP_KERNEL(t, q)                                         \
  CORE_KERNEL_RANGE(clamp_##t##_ref, tenon_core_items, q " -> " q, \
                    .in_place = TENON_IN_PLACE(0, 0),              \
                    .pack_size = tenon_core_factor_size, .pack = clamp_pack)
CLAMP_KERNEL(s8, "s8q");
CLAMP_KERNEL(s16q, "s16q");
TENON_KERNELS_clamp(CORE_ROW)

    CORE_ELEMENTWISE(clamp, tenon_core_same,
                     (CORE_EACH(clamp) CORE_K(clamp_s8_ref),
                      CORE_K(clamp_s16q_ref)),
                     "(Tensor x, *, float? lo=None, float? hi=None) -> Tensor",
                     "Limits values, in real numbers.\n"
                     "A quantised result may have another scale.",
                     CORE_MEMBERS(tenon_clamp_attrs, lo, hi));

static tenon_status lower_to_clamp(tenon_rewriter *rw, const tenon_node *node,
                                   const tenon_arg *args) {
  tenon_value *x = tenon_rw_operand(rw, node, 0);
  return tenon_rw_replace(rw, node,
                          tenon_rw_op_as(rw, "core::clamp", &x, 1, NULL, args,
                                         rw->api->result(rw, node, 0)));
}

static tenon_status relu_lower(tenon_rewriter *rw, const tenon_node *node) {
  return lower_to_clamp(rw, node, TENON_ARGS(tenon_arg_float("lo", 0)));
}

static tenon_status relu6_lower(tenon_rewriter *rw, const tenon_node *node) {
  return lower_to_clamp(
      rw, node, TENON_ARGS(tenon_arg_float("lo", 0), tenon_arg_float("hi", 6)));
}

#define RELU(name, its_doc)                                                   \
  CORE_OP(name) = {                                                           \
      CORE_EACH_HEADER,      .schema = "core::" #name "(Tensor x) -> Tensor", \
      .doc = its_doc,        .infer = tenon_core_same,                        \
      .lower = name##_lower,                                                  \
  }

RELU(relu, "The larger of x and 0.");
RELU(relu6, "x limited to [0, 6].");
