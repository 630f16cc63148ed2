// Arithmetic and functions of complex numbers, by their parts.
#include "ops/aten/complex/complex_op.h"
#include "ops/aten/nn/aten_nn.h"

// --- Parts -------------------------------------------------------------------

TENON_ATEN_LOWER(complex) {
  return tenon_parts_give(
      rw, n, tenon_parts_of(tenon_aten_in(rw, n, 0), tenon_aten_in(rw, n, 1)));
}

TENON_ATEN_LOWER(polar) {
  tenon_value *r = tenon_aten_in(rw, n, 0), *angle = tenon_aten_in(rw, n, 1);
  return tenon_parts_give(
      rw, n,
      tenon_parts_of(tenon_aten_formula(rw, "r a: r * cos(a)", r, angle),
                     tenon_aten_formula(rw, "r a: r * sin(a)", r, angle)));
}

TENON_ATEN_LOWER(view_as_complex) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const int last = tenon_aten_known(rw, x)->rank - 1;
  if (last < 0) return tenon_rw_fail(rw, "there are no pairs");
  return tenon_parts_give(
      rw, n,
      tenon_parts_of(tenon_aten_select(rw, x, last, tenon_aten_fixed(0)),
                     tenon_aten_select(rw, x, last, tenon_aten_fixed(1))));
}

// Side by side in a last dimension.
static tenon_value *parts_side_by_side(tenon_rewriter *rw, tenon_parts z) {
  const int rank = tenon_aten_known(rw, z.re)->rank;
  if (rank >= TENON_MAX_RANK) {
    (void)tenon_rw_fail(rw, "more than %d dimensions", TENON_MAX_RANK);
    return z.re;
  }
  tenon_value *both[] = {
      tenon_aten_unsqueeze(rw, z.re, rank),
      tenon_aten_unsqueeze(rw, tenon_parts_imag(rw, z), rank)};
  return tenon_rw_concat(rw, both, 2, rank);
}

TENON_ATEN_LOWER(view_as_real) {
  return tenon_rw_replace(rw, n,
                          parts_side_by_side(rw, tenon_parts_in(rw, n, 0)));
}

TENON_ATEN_LOWER(parts_real) {
  return tenon_rw_replace(rw, n, tenon_parts_in(rw, n, 0).re);
}

TENON_ATEN_LOWER(imag) {
  if (!tenon_parts_is_complex(rw, tenon_aten_in(rw, n, 0)))
    return tenon_rw_fail(rw, "the operand is real");
  return tenon_rw_replace(rw, n, tenon_parts_in(rw, n, 0).im);
}

TENON_ATEN_LOWER(parts_conj) {
  return tenon_parts_give(rw, n,
                          tenon_parts_conj(rw, tenon_parts_in(rw, n, 0)));
}

TENON_ATEN_LOWER(parts_itself) {
  return tenon_rw_replace(rw, n, tenon_aten_in(rw, n, 0));
}

// --- Arithmetic --------------------------------------------------------------

// The second operand, or the number `other`.
static tenon_parts second(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *y = tenon_aten_in(rw, n, 1);
  if (y) return tenon_parts_take(rw, y);
  return tenon_parts_of(
      tenon_aten_number(rw, TENON_F32, tenon_aten_scalar(rw, n, "other")),
      NULL);
}

// x with the sizes of the result, which a part that takes no part in an
// operation has not yet.
static tenon_value *parts_grown(tenon_rewriter *rw, const tenon_node *n,
                                tenon_value *x) {
  const tenon_type *t = tenon_aten_result(rw, n, 0);
  return x ? tenon_aten_expand(rw, x, t->dims, t->rank) : NULL;
}

static tenon_value *parts_combine(tenon_rewriter *rw, const char *op,
                                  tenon_value *a, tenon_value *b) {
  if (a && b) return tenon_rw_op2(rw, op, a, b);
  return b && op[6] == 's' ? tenon_rw_op1(rw, "core::neg", b) : a ? a : b;
}

TENON_ATEN_LOWER(parts_add) {
  const char *name = rw->api->op(rw, n) + 6;
  const bool is_reverse = name[0] == 'r';
  const char *op = name[0] == 'a' ? "core::add" : "core::sub";
  tenon_parts a = tenon_parts_in(rw, n, 0), b = second(rw, n);
  const tenon_scalar alpha = tenon_aten_scalar(rw, n, "alpha");
  tenon_parts *x = is_reverse ? &b : &a, *y = is_reverse ? &a : &b;
  y->re = tenon_nn_scale(rw, y->re, alpha);
  if (y->im) y->im = tenon_nn_scale(rw, y->im, alpha);
  return tenon_parts_give(
      rw, n,
      tenon_parts_of(parts_grown(rw, n, parts_combine(rw, op, x->re, y->re)),
                     parts_grown(rw, n, parts_combine(rw, op, x->im, y->im))));
}

TENON_ATEN_LOWER(parts_mul) {
  return tenon_parts_give(
      rw, n, tenon_parts_product(rw, tenon_parts_in(rw, n, 0), second(rw, n)));
}

// a / b = a * conj(b) / |b|^2, scaled by the larger part of b, so that squares
// neither overflow nor vanish.
static tenon_parts parts_quotient(tenon_rewriter *rw, tenon_parts a,
                                  tenon_parts b) {
  if (!b.im)
    return tenon_parts_of(
        tenon_rw_op2(rw, "core::div", a.re, b.re),
        a.im ? tenon_rw_op2(rw, "core::div", a.im, b.re) : NULL);
  tenon_value *s = tenon_aten_formula(
      rw, "c d: m = maximum(abs(c), abs(d)); m == 0 ? 1 : m", b.re, b.im);
  b.re = tenon_rw_op2(rw, "core::div", b.re, s);
  b.im = tenon_rw_op2(rw, "core::div", b.im, s);
  const tenon_parts y = tenon_parts_product(rw, a, tenon_parts_conj(rw, b));
  tenon_value *by =
      tenon_aten_formula(rw, "c d s: (c * c + d * d) * s", b.re, b.im, s);
  return tenon_parts_of(tenon_rw_op2(rw, "core::div", y.re, by),
                        tenon_rw_op2(rw, "core::div", y.im, by));
}

TENON_ATEN_LOWER(parts_div) {
  return tenon_parts_give(
      rw, n, parts_quotient(rw, tenon_parts_in(rw, n, 0), second(rw, n)));
}

TENON_ATEN_LOWER(parts_reciprocal) {
  const tenon_parts one = {tenon_rw_scalar(rw, TENON_F32, 1), NULL};
  return tenon_parts_give(rw, n,
                          parts_quotient(rw, one, tenon_parts_in(rw, n, 0)));
}

// Of whole exponents from 1 to 8.
TENON_ATEN_LOWER(parts_power) {
  const tenon_parts z = tenon_parts_in(rw, n, 0);
  tenon_parts y = z;
  double exponent = 2;
  if (rw->api->op(rw, n)[6] == 'p')
    exponent = tenon_aten_real_of(tenon_aten_scalar(rw, n, "exponent"));
  if (!(exponent >= 1 && exponent <= 8) || exponent != (double)(int)exponent)
    return tenon_rw_fail(rw,
                         "the exponent of complex numbers is %g, expected "
                         "1 to 8",
                         exponent);
  for (int i = 1; i < (int)exponent; ++i)
    y = tenon_parts_product(rw, y, z);
  return tenon_parts_give(rw, n, y);
}

// --- Functions ---------------------------------------------------------------

TENON_ATEN_LOWER(parts_exp) {
  const tenon_parts z = tenon_parts_in(rw, n, 0);
  tenon_value *r = tenon_rw_op1(rw, "core::exp", z.re);
  return tenon_parts_give(
      rw, n,
      tenon_parts_of(tenon_aten_formula(rw, "r b: r * cos(b)", r, z.im),
                     tenon_aten_formula(rw, "r b: r * sin(b)", r, z.im)));
}

TENON_ATEN_LOWER(parts_abs) {
  const tenon_parts z = tenon_parts_in(rw, n, 0);
  return tenon_rw_replace(
      rw, n, tenon_rw_op1(rw, "core::complex_abs", tenon_parts_join(rw, z)));
}

TENON_ATEN_LOWER(parts_angle) {
  const tenon_parts z = tenon_parts_in(rw, n, 0);
  return tenon_rw_replace(rw, n, tenon_rw_op2(rw, "core::atan2", z.im, z.re));
}

TENON_ATEN_LOWER(parts_where) {
  tenon_value *c = tenon_aten_in(rw, n, 0);
  const tenon_parts a = tenon_parts_in(rw, n, 1), b = tenon_parts_in(rw, n, 2);
  return tenon_parts_give(
      rw, n,
      tenon_parts_of(tenon_rw_where(rw, c, a.re, b.re),
                     tenon_rw_where(rw, c, tenon_parts_imag(rw, a),
                                    tenon_parts_imag(rw, b))));
}
