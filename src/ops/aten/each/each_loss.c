// Losses: a formula for each element, then their mean or sum.
#include <string.h>

#include "ops/aten/each/each_op.h"

// reduction: 0 none, 1 mean, 2 sum.
static tenon_status each_loss_reduce(tenon_each *e, tenon_value *y) {
  const tenon_type *t = tenon_rw_type(e->rw, y);
  int64_t dims[TENON_MAX_RANK], how = tenon_aten_int(e->rw, e->n, "reduction");
  if (!y) return tenon_rw_fail(e->rw, "an operand is missing");
  if (how == 0 || !t || t->rank == 0) return tenon_each_end(e, y);
  if (how != 1 && how != 2)
    return tenon_rw_fail(e->rw, "reduction %lld is not known", (long long)how);
  for (int i = 0; i < t->rank; ++i)
    dims[i] = i;
  return tenon_each_end(
      e, tenon_rw_op(e->rw, how == 1 ? "core::mean" : "core::sum", &y, 1,
                     TENON_ARGS(tenon_arg_ints("dims", dims, t->rank))));
}

tenon_status tenon_aten_loss_lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_each e;
  const char *formula = tenon_aten_user(rw);
  TENON_TRY(tenon_each_begin(&e, rw, n, 'n'));
  // "=": PyTorch rounds after each operation.
  if (*formula == '=') e.compute = e.type;
  if (!tenon_each_is_float(&e) && tenon_aten_is_float(e.result))
    e.compute = e.result;
  return each_loss_reduce(&e,
                          tenon_each_formula(&e, formula + (*formula == '=')));
}

// The difference of integers is one, which wraps; the margin makes a number.
tenon_status tenon_aten_margin_ranking_lower(tenon_rewriter *rw,
                                             const tenon_node *n) {
  tenon_each e;
  TENON_TRY(tenon_each_begin(&e, rw, n, 'n'));
  tenon_value *y = tenon_each_formula(&e, "-z * (x - y)");
  if (!tenon_each_is_float(&e)) {
    e.compute = tenon_aten_is_float(e.result) ? e.result : TENON_F32;
    y = y ? tenon_aten_cast(rw, y, e.compute) : NULL;
  }
  if (!y) return tenon_rw_fail(rw, "an operand is missing");
  y = tenon_rw_op2(rw, "core::add", y,
                   tenon_each_number(&e, tenon_aten_float(rw, n, "margin")));
  return each_loss_reduce(
      &e, tenon_rw_op2(rw, "core::maximum", y, tenon_each_number(&e, 0)));
}

// Twice the same where beta is 0.
tenon_status tenon_aten_smooth_l1_lower(tenon_rewriter *rw,
                                        const tenon_node *n) {
  tenon_each e;
  TENON_TRY(tenon_each_begin(&e, rw, n, 'n'));
  return each_loss_reduce(
      &e, tenon_each_formula(&e, tenon_aten_float(rw, n, "beta") == 0
                                     ? "abs(x - y)"
                                     : "d = abs(x - y); d < beta ? 0.5 * d * d "
                                       "/ beta : d - 0.5 * beta"));
}

// With weights of elements, and of those that are to be 1. PyTorch rounds 16
// bits after each operation, of which the logarithm of the sigmoid is one.
tenon_status tenon_aten_bce_logits_lower(tenon_rewriter *rw,
                                         const tenon_node *n) {
  tenon_each e;
  TENON_TRY(tenon_each_begin(&e, rw, n, 'n'));
  const tenon_dtype wide = e.compute;
  bool has_weight = tenon_aten_in(rw, n, 2), has_pos = tenon_aten_in(rw, n, 3);
  tenon_value *sigmoid =
      tenon_each_formula(&e, "minimum(x, 0) - log1p(exp(-abs(x)))");
  e.compute = e.type;
  tenon_value *y = tenon_each_formula(&e, "(1 - y) * x");
  tenon_value *factor = has_pos ? tenon_each_formula(&e, "(w - 1) * y + 1") : y;
  if (!sigmoid || !y || !factor)
    return tenon_rw_fail(rw, "an operand is missing");
  sigmoid = tenon_aten_cast(rw, sigmoid, e.type);
  if (has_pos) sigmoid = tenon_rw_op2(rw, "core::mul", sigmoid, factor);
  y = tenon_rw_op2(rw, "core::sub", y, sigmoid);
  if (has_weight) y = tenon_rw_op2(rw, "core::mul", y, tenon_each_in(&e, 2));
  e.compute = wide;
  return each_loss_reduce(&e, tenon_aten_cast(rw, y, wide));
}

// Logarithms are at least -100.
tenon_status tenon_aten_bce_lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_each e;
  TENON_TRY(tenon_each_begin(&e, rw, n, 'n'));
  tenon_value *y = tenon_each_formula(
      &e, "(y - 1) * maximum(log1p(-x), -100) - y * maximum(log(x), -100)");
  if (tenon_aten_in(rw, n, 2) && y)
    y = tenon_rw_op2(rw, "core::mul", y, tenon_each_in(&e, 2));
  return each_loss_reduce(&e, y);
}

tenon_status tenon_aten_kl_div_lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_each e;
  TENON_TRY(tenon_each_begin(&e, rw, n, 'n'));
  return each_loss_reduce(
      &e, tenon_each_formula(&e, tenon_aten_bool(rw, n, "log_target")
                                     ? "exp(y) * (y - x)"
                                     : "(y == 0 ? 0 : y * log(y)) - y * x"));
}

// With "full", also what Stirling's formula says of the factorial of y.
tenon_status tenon_aten_poisson_nll_lower(tenon_rewriter *rw,
                                          const tenon_node *n) {
  tenon_each e;
  TENON_TRY(tenon_each_begin(&e, rw, n, 'f'));
  e.compute = e.type;  // PyTorch rounds after each operation
  bool is_log = tenon_aten_bool(rw, n, "log_input");
  if (is_log) tenon_aten_without_effect(rw, n, "eps");
  tenon_value *y = tenon_each_formula(
      &e, is_log ? "exp(x) - y * x" : "x - y * log(x + eps)");
  if (tenon_aten_bool(rw, n, "full") && y)
    y = tenon_rw_op2(
        rw, "core::add", y,
        tenon_each_formula(&e,
                           "y <= 1 ? 0 : y * log(y) - y + 0.5 * log(2 * pi * "
                           "y)"));
  return each_loss_reduce(&e, y);
}
