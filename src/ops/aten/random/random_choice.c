// Draws whose probabilities are given: true or false, one of several, parts
// that are dropped out.
#include <math.h>
#include <string.h>

#include "ops/aten/index/index_op.h"
#include "ops/aten/random/random_op.h"

// --- True or false -----------------------------------------------------------

// By one number, `p`.
TENON_ATEN_LOWER(bernoulli) {
  tenon_draw d;
  TENON_TRY(tenon_draw_begin(&d, rw, n, 0));
  double p = tenon_aten_float(rw, n, "p");
  TENON_TRY(tenon_draw_check_share(rw, p));
  return tenon_rw_replace(rw, n,
                          tenon_aten_cast(rw, tenon_draw_truth(&d, p), d.type));
}

// By a tensor: operand 1, or what the result is like.
TENON_ATEN_LOWER(bernoulli_each) {
  tenon_draw d;
  TENON_TRY(tenon_draw_begin(&d, rw, n, 0));
  tenon_value *p = tenon_aten_in(rw, n, 1);
  if (!p) p = tenon_aten_in(rw, n, 0);
  tenon_dtype t = tenon_aten_known(rw, p)->dtype;
  if (!tenon_aten_is_float(t))
    return tenon_rw_fail(rw, "probabilities of %s", tenon_dtype_name(t));
  if (t != TENON_F64) p = tenon_aten_cast(rw, p, t = TENON_F32);
  tenon_aten_check(rw, tenon_aten_formula(rw, "p: p >= 0 & p <= 1", p),
                   "bernoulli: a probability outside of 0 to 1");
  tenon_value *y =
      tenon_rw_op2(rw, "core::lt", tenon_draw_even(&d, t, 0, 1), p);
  return tenon_rw_replace(rw, n, tenon_aten_cast(rw, y, d.type));
}

// --- One of several ----------------------------------------------------------

static void check_weights(tenon_rewriter *rw, tenon_value *x, int last) {
  tenon_aten_check(rw, tenon_aten_formula(rw, "x: x >= 0 & x < inf", x),
                   "multinomial: a weight that is negative, infinite or NaN");
  tenon_aten_check(
      rw, tenon_aten_formula(rw, "x @d: sum(x, d) > 0", x, (int)(1u << last)),
      "multinomial: weights whose sum is zero");
}

// With replacement: where even numbers fall among the sums of the weights.
static tenon_value *fall(tenon_rewriter *rw, const tenon_node *n,
                         tenon_value *x, int64_t samples) {
  tenon_draw d;
  if (tenon_draw_begin(&d, rw, n, TENON_S64) != TENON_OK) return x;
  const int last = d.rank - 1;
  tenon_value *sums =
      tenon_aten_formula(rw, "x @axis: cumsum(x, axis)", x, last);
  tenon_value *whole = tenon_aten_cut(
      rw, sums, last, tenon_aten_minus(rw, d.dims[last], tenon_aten_fixed(1)),
      tenon_aten_fixed(1), 1);
  sums = tenon_aten_formula(rw, "s whole: f64(s / whole)", sums, whole);
  d.dims[last] = tenon_aten_fixed(samples);
  return tenon_rw_op2(rw, "core::searchsorted", sums,
                      tenon_draw_even(&d, TENON_F64, 0, 1));
}

// Without: the largest of the weights divided by exponential numbers.
static tenon_value *choice_largest(tenon_rewriter *rw, tenon_value *x,
                                   int64_t samples) {
  tenon_aten_args args = {0};
  tenon_value *out[2];
  tenon_value *q = tenon_rw_op1(rw, "aten::exponential", x);
  q = tenon_rw_op2(rw, "aten::div.Tensor", x, q);
  if (samples == 1) {
    tenon_aten_add(&args, tenon_arg_int("dim", -1));
    tenon_aten_add(&args, tenon_arg_bool("keepdim", true));
    return tenon_rw_op(rw, "aten::argmax", &q, 1, args.list);
  }
  tenon_aten_add(&args, tenon_arg_int("k", samples));
  tenon_aten_make_all(rw, "aten::topk", &q, 1, args.list, out, 2);
  return out[1];
}

TENON_ATEN_LOWER(multinomial) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_type *t = tenon_aten_known(rw, x);
  int64_t samples = tenon_aten_int(rw, n, "num_samples");
  bool replaces = tenon_aten_bool(rw, n, "replacement") && samples != 1;
  if (t->rank != 1 && t->rank != 2)
    return tenon_rw_fail(rw, "weights of %d dimensions", t->rank);
  if (samples < 1)
    return tenon_rw_fail(rw, "how many samples it draws is open, or none");
  if (!tenon_aten_is_float(t->dtype) ||
      (replaces && t->dtype != TENON_F32 && t->dtype != TENON_F64))
    return tenon_rw_fail(rw, "weights of %s", tenon_dtype_name(t->dtype));
  check_weights(rw, x, t->rank - 1);
  return tenon_rw_replace(
      rw, n,
      replaces ? fall(rw, n, x, samples) : choice_largest(rw, x, samples));
}

// --- Dropout -----------------------------------------------------------------

// Of the whole tensor, or "feature": of whole channels, [n, c, ...]; "alpha":
// in a way that keeps mean and variance of what selu makes.
TENON_ATEN_LOWER(dropout) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const char *kind = tenon_aten_user(rw);
  const bool is_alpha = kind && strstr(kind, "alpha");
  double p = tenon_aten_float(rw, n, "p");
  tenon_draw d;
  TENON_TRY(tenon_draw_check_share(rw, p));
  if (!tenon_aten_bool(rw, n, "train") || p == 0)
    return tenon_rw_replace(rw, n, x);
  // All of it is dropped out: times zero.
  if (p == 1)
    return tenon_rw_replace(rw, n,
                            tenon_draw_by_number(rw, "aten::mul.Scalar", x, 0));
  TENON_TRY(tenon_draw_begin(&d, rw, n, 0));
  if (kind && strstr(kind, "feature")) {
    if (d.rank < 2)
      return tenon_rw_fail(rw, "channels of %d dimensions", d.rank);
    for (int i = 2; i < d.rank; ++i)
      d.dims[i] = tenon_aten_fixed(1);
  }
  tenon_value *noise = tenon_aten_cast(rw, tenon_draw_truth(&d, 1 - p), d.type);
  if (!is_alpha) {
    noise = tenon_draw_by_number(rw, "aten::div.Scalar", noise, 1 - p);
    return tenon_rw_replace(rw, n,
                            tenon_rw_op2(rw, "aten::mul.Tensor", x, noise));
  }
  // Of selu: its slope below zero times its scale.
  const double alpha = 1.7580993408473766;
  const double a = 1 / sqrt((alpha * alpha * p + 1) * (1 - p));
  tenon_value *b = tenon_draw_by_number(rw, "aten::add.Scalar", noise, -1);
  b = tenon_draw_by_number(rw, "aten::mul.Scalar", b, alpha * a);
  b = tenon_draw_by_number(rw, "aten::add.Scalar", b, alpha * a * p);
  noise = tenon_draw_by_number(rw, "aten::mul.Scalar", noise, a);
  tenon_value *y = tenon_rw_op2(rw, "aten::mul.Tensor", x, noise);
  return tenon_rw_replace(rw, n, tenon_rw_op2(rw, "aten::add.Tensor", y, b));
}

// With what is kept as the second result.
TENON_ATEN_LOWER(native_dropout) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *out[2];
  double p = tenon_aten_float(rw, n, "p");
  tenon_draw d;
  TENON_TRY(tenon_draw_check_share(rw, p));
  TENON_TRY(tenon_draw_begin(&d, rw, n, 0));
  if (tenon_aten_has(rw, n, "train") && !tenon_aten_bool(rw, n, "train")) {
    out[0] = tenon_rw_op1(rw, "aten::clone", x);
    out[1] = tenon_rw_op(rw, "aten::ones_like", &x, 1,
                         TENON_ARGS(tenon_arg_dtype("dtype", TENON_BOOL)));
    return rw->api->replace(rw, n, out, 2);
  }
  out[1] = tenon_draw_truth(&d, 1 - p);
  tenon_value *y = tenon_rw_op2(rw, "aten::mul.Tensor", x, out[1]);
  out[0] =
      tenon_draw_by_number(rw, "aten::mul.Scalar", y, p == 1 ? 0 : 1 / (1 - p));
  return rw->api->replace(rw, n, out, 2);
}
