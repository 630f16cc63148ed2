// Operators on one element at a time, with broadcasting where there are two
// operands. Most go to the core operator that their row names; the others are
// compositions that give the same numbers, operation by operation, as LiteRT's
// float kernels, and end in a sentence for quantised operands.
#include <math.h>
#include <string.h>

#include "ops/tfl/tfl_op.h"

// ---------------------------------------------------------------------------
// Shape rules
// ---------------------------------------------------------------------------

// Of an open size and a number other than 1, the number is what both will be.
tenon_status tenon_tfl_broadcast(tenon_infer *c, const tenon_type *a,
                                 const tenon_type *b, tenon_tfl_shape *y) {
  y->rank = a->rank > b->rank ? a->rank : b->rank;
  for (int i = 1; i <= y->rank; ++i) {
    tenon_dim da = i <= a->rank ? a->dims[a->rank - i] : tenon_tfl_fixed(1);
    tenon_dim db = i <= b->rank ? b->dims[b->rank - i] : tenon_tfl_fixed(1);
    bool a_is_one = tenon_tfl_is(da, 1), b_is_one = tenon_tfl_is(db, 1);
    if (!a_is_one && !b_is_one && tenon_tfl_differ(da, db))
      return tenon_infer_fail(
          c, "%lld and %lld do not broadcast at dimension %d",
          (long long)da.value, (long long)db.value, y->rank - i);
    y->dims[y->rank - i] =
        a_is_one || (da.symbol && !db.symbol && !b_is_one) ? db : da;
  }
  return TENON_OK;
}

tenon_status tenon_tfl_binary_infer(tenon_infer *c) {
  const tenon_type *a, *b;
  tenon_tfl_shape y;
  TENON_TRY(tenon_tfl_operand(c, 0, "a", -1, &a));
  TENON_TRY(tenon_tfl_operand(c, 1, "b", -1, &b));
  TENON_TRY(tenon_tfl_check_alike(c, a, "a", b, "b"));
  TENON_TRY(tenon_tfl_check_scale(c, a, "a"));
  TENON_TRY(tenon_tfl_check_scale(c, b, "b"));
  TENON_TRY(tenon_tfl_broadcast(c, a, b, &y));
  return tenon_tfl_number(c, &y, a);
}

tenon_status tenon_tfl_two(tenon_infer *c, const tenon_type **a,
                           tenon_tfl_shape *y) {
  const tenon_type *b;
  TENON_TRY(tenon_tfl_operand(c, 0, "a", -1, a));
  TENON_TRY(tenon_tfl_operand(c, 1, "b", -1, &b));
  TENON_TRY(tenon_tfl_check_alike(c, *a, "a", b, "b"));
  return tenon_tfl_broadcast(c, *a, b, y);
}

// What is stored counts, and no scale.
tenon_status tenon_tfl_stored_two_infer(tenon_infer *c) {
  const tenon_type *a;
  tenon_tfl_shape y;
  TENON_TRY(tenon_tfl_two(c, &a, &y));
  return tenon_tfl_result(c, 0, &y, a->dtype, a);
}

tenon_status tenon_tfl_stored_one_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  return tenon_tfl_like(c, x);
}

tenon_status tenon_tfl_sum_infer(tenon_infer *c) {
  const tenon_tfl_sum_attrs *a = tenon_infer_attrs(c);
  TENON_TRY(tenon_tfl_check_activation(c, a->fused_activation_function));
  return tenon_tfl_binary_infer(c);
}

tenon_status tenon_tfl_fused_infer(tenon_infer *c) {
  const tenon_tfl_fused_attrs *a = tenon_infer_attrs(c);
  TENON_TRY(tenon_tfl_check_activation(c, a->fused_activation_function));
  return tenon_tfl_binary_infer(c);
}

// A float gives an infinity; an integer has nothing to give.
static bool holds_zero(const tenon_tensor *b) {
  const int32_t *words = (const int32_t *)b->data;
  for (size_t i = 0; i < tenon_count(b); ++i)
    if (words[i] == 0) return true;
  return false;
}

tenon_status tenon_tfl_div_infer(tenon_infer *c) {
  TENON_TRY(tenon_tfl_fused_infer(c));
  const tenon_tensor *b = c->api->constant(c, 1);
  if (b && b->data && b->dtype == TENON_S32 && !b->quant && holds_zero(b))
    return tenon_infer_fail(c, "b holds a 0, and integers are divided by it");
  return TENON_OK;
}

tenon_status tenon_tfl_unary_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  TENON_TRY(tenon_tfl_check_scale(c, x, "x"));
  const tenon_tfl_shape y = tenon_tfl_shape_of(x);
  return tenon_tfl_number(c, &y, x);
}

// Slopes of 16-bit elements have 8 bits.
tenon_status tenon_tfl_prelu_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *alpha = tenon_infer_in(c, 1);
  tenon_tfl_shape y;
  if (x->dtype != TENON_S16 || alpha->dtype != TENON_S8)
    TENON_TRY(tenon_tfl_check_alike(c, x, "x", alpha, "alpha"));
  TENON_TRY(tenon_tfl_check_scale(c, x, "x"));
  TENON_TRY(tenon_tfl_check_scale(c, alpha, "alpha"));
  TENON_TRY(tenon_tfl_broadcast(c, x, alpha, &y));
  return tenon_tfl_number(c, &y, x);
}

tenon_status tenon_tfl_add_n_infer(tenon_infer *c) {
  int first = 0, n = c->api->group(c, 0, &first);
  const tenon_type *x = NULL, *next;
  if (n < 1) return tenon_infer_fail(c, "'xs' is empty");
  for (int i = 0; i < n; ++i) {
    TENON_TRY(tenon_tfl_operand(c, first + i, "xs", x ? x->rank : -1, &next));
    if (!x) x = next;
    TENON_TRY(tenon_tfl_check_alike(c, x, "xs[0]", next, "xs"));
    TENON_TRY(tenon_tfl_check_scale(c, next, "xs"));
    for (int d = 0; d < x->rank; ++d) {
      if (tenon_tfl_differ(x->dims[d], next->dims[d]))
        return tenon_infer_fail(c, "tensors 0 and %d of 'xs' differ in size",
                                i);
    }
  }
  const tenon_tfl_shape y = tenon_tfl_shape_of(x);
  return tenon_tfl_number(c, &y, x);
}

// ---------------------------------------------------------------------------
// Lowerings to one core operator
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_one_lower(tenon_rewriter *rw, const tenon_node *node) {
  return tenon_tfl_become_of(rw, node, (const char *)rw->api->user(rw), 1,
                             NULL);
}

static tenon_status two_lower(tenon_rewriter *rw, const tenon_node *node,
                              const tenon_arg *args) {
  return tenon_tfl_become_of(rw, node, (const char *)rw->api->user(rw), 2,
                             args);
}

tenon_status tenon_tfl_two_lower(tenon_rewriter *rw, const tenon_node *node) {
  return two_lower(rw, node, NULL);
}

tenon_status tenon_tfl_fused_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_fused_attrs *a = tenon_rw_attrs(rw, node);
  tenon_tfl_args args = {0};
  if (tenon_tfl_type(rw, node, 0)->dtype == TENON_C64 &&
      !strcmp((const char *)rw->api->user(rw), "core::mul")) {
    if (a->fused_activation_function)
      return tenon_rw_fail(rw, "complex numbers have no activation");
    return tenon_rw_replace(
        rw, node,
        tenon_tfl_complex_product(rw, tenon_tfl_in(rw, node, 0),
                                  tenon_tfl_in(rw, node, 1)));
  }
  TENON_TRY(tenon_tfl_clamp(rw, a->fused_activation_function, &args));
  return two_lower(rw, node, args.list);
}

static bool tfl_each_is_power_of_two(const tenon_type *t) {
  int exponent;
  return t->dtype == TENON_S16 && t->quant &&
         frexpf(t->quant->scale[0], &exponent) == 0.5f;
}

// 16-bit sums whose scales are powers of two are shifted instead of multiplied
// when the file asks for it: other bits, so not served by the same kernel.
tenon_status tenon_tfl_sum_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_sum_attrs *a = tenon_rw_attrs(rw, node);
  if (a->pot_scale_int16 &&
      tfl_each_is_power_of_two(tenon_tfl_type(rw, node, 0)) &&
      tfl_each_is_power_of_two(tenon_tfl_type(rw, node, 1)) &&
      tfl_each_is_power_of_two(rw->api->result(rw, node, 0)))
    return tenon_rw_fail(rw, "pot_scale_int16 is not supported");
  tenon_tfl_args args = {0};
  TENON_TRY(tenon_tfl_clamp(rw, a->fused_activation_function, &args));
  return two_lower(rw, node, args.list);
}

static tenon_status clamp_lower(tenon_rewriter *rw, const tenon_node *node,
                                double lo, double hi) {
  return tenon_tfl_become_of(
      rw, node, "core::clamp", 1,
      TENON_ARGS(tenon_arg_float("lo", lo), tenon_arg_float("hi", hi)));
}

tenon_status tenon_tfl_relu_n1_lower(tenon_rewriter *rw,
                                     const tenon_node *node) {
  return clamp_lower(rw, node, -1, 1);
}

tenon_status tenon_tfl_relu_01_lower(tenon_rewriter *rw,
                                     const tenon_node *node) {
  return clamp_lower(rw, node, 0, 1);
}

// ---------------------------------------------------------------------------
// Compositions
// ---------------------------------------------------------------------------

// Of integers in floats: cut off towards zero, and an error below.
tenon_status tenon_tfl_sqrt_lower(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x), *y = rw->api->result(rw, node, 0);
  if (!t->quant) return tenon_tfl_one_lower(rw, node);
  const float scale = t->quant->scale[0], y_scale = y->quant->scale[0];
  x = tenon_tfl_cast(rw, tenon_tfl_above_zero(rw, x), TENON_F32);
  TENON_TRY(tenon_tfl_require(rw, tenon_tfl_by(rw, "core::ge", x, 0),
                              "the root of a number below zero"));
  // Beyond 32 bits it has reached the limit.
  x = tenon_aten_formula(rw, "x #a #b: minimum(sqrt(x * a) / b, 0x1p30)", x,
                         (double)scale, (double)y_scale);
  x = tenon_tfl_cast(rw, x, TENON_S32);
  return tenon_rw_replace(rw, node, tenon_tfl_to_stored(rw, x, y));
}

tenon_status tenon_tfl_sign_lower(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  TENON_TRY(tenon_tfl_refuse_scale(rw, t));
  tenon_value *sign = tenon_rw_op1(rw, "core::sign", x);
  if (t->dtype != TENON_F32 && t->dtype != TENON_F64)
    return tenon_rw_replace(rw, node, sign);
  tenon_value *in[] = {tenon_rw_op1(rw, "core::isnan", x), x, sign};
  return tenon_tfl_become(rw, node, "core::where", in, 3, NULL);
}

tenon_status tenon_tfl_add_n_lower(tenon_rewriter *rw, const tenon_node *node) {
  int first = 0, n = rw->api->group(rw, node, 0, &first);
  tenon_value *sum = tenon_tfl_in(rw, node, first);
  TENON_TRY(tenon_tfl_refuse_scale(rw, tenon_rw_type(rw, sum)));
  for (int i = 1; i < n; ++i)
    sum = tenon_rw_op2(rw, "core::add", sum, tenon_tfl_in(rw, node, first + i));
  return tenon_rw_replace(rw, node, sum);
}

tenon_status tenon_tfl_leaky_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_leaky_attrs *a = tenon_rw_attrs(rw, node);
  if (!isfinite(a->alpha)) return tenon_rw_fail(rw, "alpha is no number");
  return tenon_tfl_become_of(rw, node, "core::leaky_relu", 1,
                             TENON_ARGS(tenon_arg_float("alpha", a->alpha)));
}

// Above zero and below are rescaled with a factor each.
static tenon_status prelu_stored(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *in[] = {tenon_tfl_in(rw, node, 0), tenon_tfl_in(rw, node, 1)};
  const tenon_type *y = rw->api->result(rw, node, 0);
  if (tenon_rw_type(rw, in[1])->dtype == TENON_S16)
    return tenon_rw_fail(rw,
                         "slopes of s16 are not supported: LiteRT reads them "
                         "as bytes");
  const float x_scale = tenon_rw_type(rw, in[0])->quant->scale[0];
  const float a_scale = tenon_rw_type(rw, in[1])->quant->scale[0];
  const float y_scale = y->quant->scale[0];
  tenon_value *x = tenon_tfl_above_zero(rw, in[0]);
  tenon_value *low =
      tenon_rw_op2(rw, "core::mul", x, tenon_tfl_above_zero(rw, in[1]));
  low = tenon_tfl_rescale(rw, low, (double)(x_scale * a_scale / y_scale));
  tenon_value *is_low = tenon_tfl_by(rw, "core::lt", x, 0);
  tenon_value *z = tenon_rw_where(
      rw, is_low, low, tenon_tfl_rescale(rw, x, (double)(x_scale / y_scale)));
  return tenon_rw_replace(rw, node, tenon_tfl_to_stored(rw, z, y));
}

tenon_status tenon_tfl_prelu_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_type *t = tenon_tfl_type(rw, node, 0);
  if (t->quant) return prelu_stored(rw, node);
  if (!tenon_tfl_is_float(t)) return tenon_tfl_refuse(rw, t);
  return tenon_rw_replace(
      rw, node,
      tenon_aten_formula(
          rw,
          "x alpha: zero = like(0, x); low = minimum(x, zero) * alpha; "
          "maximum(x, zero) + low",
          tenon_tfl_in(rw, node, 0), tenon_tfl_in(rw, node, 1)));
}

// Of 16-bit floats LiteRT rounds after each operation.
static tenon_status gelu_of_halves(tenon_rewriter *rw, const tenon_node *node,
                                   bool approximate) {
  // By the square roots of 2 by pi, and of a half.
  return tenon_rw_replace(
      rw, node,
      tenon_aten_formula(
          rw,
          "x @approximate: t = if(approximate, "
          "1 + tanh(0.79788456080286535588 * (x + 0.044715 * (x * x * x))), "
          "erfc(x * -0.70710678118654752440)); 0.5 * x * t",
          tenon_tfl_in(rw, node, 0), (int)approximate));
}

tenon_status tenon_tfl_gelu_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_gelu_attrs *a = tenon_rw_attrs(rw, node);
  const tenon_type *x = tenon_tfl_type(rw, node, 0);
  if (x->dtype == TENON_F16) return gelu_of_halves(rw, node, a->approximate);
  return tenon_tfl_become_of(
      rw, node, "core::gelu", 1,
      TENON_ARGS(tenon_arg_bool("approximate", a->approximate)));
}
