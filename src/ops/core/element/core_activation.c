// core_activation.c - core::elu, gelu, hard_swish, leaky_relu and l2_normalize:
// kernels for 8 bits, and what they are on floats, operation by operation as
// LiteRT's float kernels compute.
#include "kern/op/activation.h"

#include <math.h>

#include "ops/core/core_rule.h"
#include "ops/core/core_shapes.h"
#include "ops/core/element/core_factor.h"
#include "ops/core/element/core_lookup.h"
#include "ops/core/element/core_table.h"

CORE_SHAPES(activation_infer, "x[...] -> x[...]")

#define TABLE_KERNEL(name, its_match)                                     \
  CORE_KERNEL_RANGE(name##_s8_ref, tenon_core_items, "s8q -> s8q",        \
                    .in_place = TENON_IN_PLACE(0, 0), .match = its_match, \
                    .pack_size = tenon_core_table_size,                   \
                    .pack = tenon_core_table_##name)

// --- Building ----------------------------------------------------------------

static tenon_value *activation_number(tenon_rewriter *rw, double v) {
  return tenon_rw_scalar(rw, TENON_F32, v);
}

// The operand, which must be plain f32.
static tenon_status float_operand(tenon_rewriter *rw, const tenon_node *n,
                                  tenon_value **x) {
  *x = tenon_rw_operand(rw, n, 0);
  const tenon_type *t = tenon_rw_type(rw, *x);
  if (t->quant || t->dtype != TENON_F32)
    return tenon_rw_fail(rw, "no kernel for this element type and scale");
  return TENON_OK;
}

#define ACTIVATION(name, its_flags, arguments, its_doc, ...)        \
  CORE_OP(name) = {                                                 \
      CORE_EACH_HEADER | (its_flags),                               \
      .schema = "core::" #name "(Tensor x" arguments ") -> Tensor", \
      .doc = its_doc,                                               \
      .infer = activation_infer,                                    \
      .lower = name##_lower,                                        \
      __VA_ARGS__ CORE_KERNELS(name),                               \
  }

// --- elu ---------------------------------------------------------------------

static tenon_status elu_lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x;
  TENON_TRY(float_operand(rw, n, &x));
  return tenon_rw_replace(
      rw, n,
      tenon_rw_where(rw,
                     tenon_rw_op2(rw, "core::lt", x, activation_number(rw, 0)),
                     tenon_rw_op1(rw, "core::expm1", x), x));
}

TABLE_KERNEL(elu, NULL);
CORE_LIST(elu, CORE_K(elu_s8_ref));
ACTIVATION(elu, TENON_OP_COSTLY, "", "x, below zero e to the x minus 1.", );

// --- gelu --------------------------------------------------------------------

static tenon_status gelu_lower(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_gelu_attrs *a = tenon_rw_attrs(rw, n);
  tenon_value *x, *t;
  TENON_TRY(float_operand(rw, n, &x));
  if (a->approximate) {
    t = tenon_rw_op2(rw, "core::mul", x, x);
    t = tenon_rw_op2(rw, "core::mul", t, x);
    t = tenon_rw_op2(rw, "core::mul", t, activation_number(rw, 0.044715));
    t = tenon_rw_op2(rw, "core::add", x, t);
    // The square root of 2 by pi.
    t = tenon_rw_op2(rw, "core::mul", t,
                     activation_number(rw, 0.79788456080286535588));
    t = tenon_rw_op1(rw, "core::tanh", t);
  } else {
    t = tenon_rw_op2(rw, "core::mul", x,
                     activation_number(rw, 0.70710678118654752440));
    t = tenon_rw_op1(rw, "core::erf", t);
  }
  t = tenon_rw_op2(rw, "core::add", t, activation_number(rw, 1));
  tenon_value *half =
      tenon_rw_op2(rw, "core::mul", x, activation_number(rw, 0.5));
  return tenon_rw_replace(rw, n, tenon_rw_op2(rw, "core::mul", half, t));
}

bool tenon_core_gelu_is_exact(const tenon_call *c) {
  return !((const tenon_gelu_attrs *)c->attrs)->approximate;
}

#define GELU_ROW(name, its_types, places)                                  \
  CORE_KERNEL_RANGE(name, tenon_core_items, its_types, .in_place = places, \
                    .match = tenon_core_gelu_is_exact);
TENON_KERNELS_gelu(GELU_ROW)

    TABLE_KERNEL(gelu, NULL);
CORE_KERNEL_RANGE(gelu_s16q_ref, tenon_core_items, "s16q -> s16q",
                  .in_place = TENON_IN_PLACE(0, 0),
                  .pack_size = tenon_core_lookup_size,
                  .pack = tenon_core_lookup_gelu);
CORE_LIST(gelu, CORE_EACH(gelu) CORE_K(gelu_s8_ref), CORE_K(gelu_s16q_ref));
ACTIVATION(gelu, TENON_OP_COSTLY, ", *, bool approximate=False",
           "x times the normal distribution at x; its approximation by tanh.",
           CORE_MEMBERS(tenon_gelu_attrs, approximate), );

// --- hard_swish --------------------------------------------------------------

static tenon_status hard_swish_lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x;
  TENON_TRY(float_operand(rw, n, &x));
  tenon_value *in[] = {x, activation_number(rw, 3)};
  tenon_value *gate = tenon_rw_op(
      rw, "core::add", in, 2,
      TENON_ARGS(tenon_arg_float("lo", 0), tenon_arg_float("hi", 6)));
  tenon_value *y = tenon_rw_op2(rw, "core::mul", x, gate);
  return tenon_rw_replace(
      rw, n, tenon_rw_op2(rw, "core::div", y, activation_number(rw, 6)));
}

// The factor to the result's scale only shifts down.
static bool hard_swish_match(const tenon_call *c) {
  return c->in[0].quant->scale[0] / 128 < c->out[0].quant->scale[0];
}

TENON_KERNELS_hard_swish(CORE_ROW)

    TABLE_KERNEL(hard_swish, hard_swish_match);
CORE_LIST(hard_swish, CORE_EACH(hard_swish) CORE_K(hard_swish_s8_ref));
ACTIVATION(hard_swish, 0, "", "x * min(max(x + 3, 0), 6) / 6.", );

// --- leaky_relu --------------------------------------------------------------

static tenon_status leaky_relu_lower(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_leaky_relu_attrs *a = tenon_rw_attrs(rw, n);
  tenon_value *x;
  TENON_TRY(float_operand(rw, n, &x));
  // Zero times infinity would not be zero.
  if (a->alpha == 0)
    return tenon_rw_replace(rw, n, tenon_rw_op1(rw, "core::relu", x));
  tenon_value *low =
      tenon_rw_op2(rw, "core::mul", x, activation_number(rw, a->alpha));
  const char *op = a->alpha <= 1 ? "core::maximum" : "core::minimum";
  return tenon_rw_replace(rw, n, tenon_rw_op2(rw, op, x, low));
}

TABLE_KERNEL(leaky_relu, NULL);

CORE_OWN_PACKS(leaky_size, tenon_leaky_s16)

static tenon_status leaky_pack(const tenon_call *c, void *packed) {
  const tenon_leaky_relu_attrs *a = c->attrs;
  const float x = c->in[0].quant->scale[0], y = c->out[0].quant->scale[0];
  tenon_leaky_s16 *p = (tenon_leaky_s16 *)packed;
  tenon_core_factor((double)(x / y), &p->mult[0], &p->shift[0]);
  const float low = x * (float)a->alpha / y;
  p->is_below = low < 0;
  tenon_core_factor((double)fabsf(low), &p->mult[1], &p->shift[1]);
  return TENON_OK;
}

CORE_KERNEL_RANGE(leaky_relu_s16q_ref, tenon_core_items, "s16q -> s16q",
                  .in_place = TENON_IN_PLACE(0, 0), .pack_size = leaky_size,
                  .pack = leaky_pack);
CORE_LIST(leaky_relu, CORE_K(leaky_relu_s8_ref), CORE_K(leaky_relu_s16q_ref));
ACTIVATION(leaky_relu, 0, ", *, float alpha", "x, below zero alpha * x.",
           CORE_MEMBERS(tenon_leaky_relu_attrs, alpha), );

// --- l2_normalize ------------------------------------------------------------

// Rows of zeros stay zeros.
static tenon_status l2_normalize_lower(tenon_rewriter *rw,
                                       const tenon_node *n) {
  tenon_value *x;
  TENON_TRY(float_operand(rw, n, &x));
  const int64_t last = tenon_rw_type(rw, x)->rank - 1;
  tenon_value *length = tenon_rw_op1(rw, "core::square", x);
  length = tenon_rw_op(rw, "core::sum", &length, 1,
                       TENON_ARGS(tenon_arg_ints("dims", &last, 1),
                                  tenon_arg_bool("keepdim", true)));
  length = tenon_rw_op1(rw, "core::sqrt", length);
  length =
      tenon_rw_op2(rw, "core::maximum", length, activation_number(rw, 1e-6));
  return tenon_rw_replace(rw, n, tenon_rw_op2(rw, "core::div", x, length));
}

static bool unit_match(const tenon_call *c) {
  const tenon_tensor *y = &c->out[0];
  return y->quant->scale[0] == 1.0f / 128 &&
         tenon_core_zero(y) == (y->dtype == TENON_U8 ? 128 : 0);
}

static tenon_status l2_normalize_infer(tenon_infer *c) {
  if (tenon_infer_in(c, 0)->rank < 1)
    return tenon_infer_fail(c, "x has no dimension");
  return activation_infer(c);
}

CORE_KERNEL_RANGE(l2_normalize_s8_ref, tenon_core_last_rows, "s8q -> s8q",
                  .in_place = TENON_IN_PLACE(0, 0), .match = unit_match);

CORE_KERNEL_RANGE(l2_normalize_u8_ref, tenon_core_last_rows, "u8q -> u8q",
                  .in_place = TENON_IN_PLACE(0, 0), .match = unit_match);

CORE_OPERATOR(l2_normalize, l2_normalize_infer,
              (CORE_K(l2_normalize_s8_ref), CORE_K(l2_normalize_u8_ref)),
              "(Tensor x) -> Tensor",
              "Rows of the last dimension by their length.\n"
              "A quantised result has scale 1/128 and zero point 0, of "
              "unsigned bytes 128.",
              .lower = l2_normalize_lower);
