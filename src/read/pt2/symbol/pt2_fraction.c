// How: fractions are multiplied crosswise and reduced where that is seen at
// once. Truth values are the integers 0 and 1, made by clamping a difference.
#include "read/pt2/symbol/pt2_fraction.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define MOST_POWER 64
// Of numerators and denominators of doubles: times sizes they are exact.
#define MOST_BINARY (INT64_C(1) << 20)

bool tenon_fraction_fail(tenon_fractions *in, tenon_pt2_expr_result result,
                         const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  if (in->result == TENON_PT2_EXPR_OK && in->with->error_size > 0)
    (void)vsnprintf(in->with->error, in->with->error_size, fmt, args);
  va_end(args);
  if (in->result == TENON_PT2_EXPR_OK) in->result = result;
  return false;
}

bool tenon_fraction_apply(tenon_fractions *in, tenon_dim_op op, tenon_dim a,
                          tenon_dim b, tenon_dim *out) {
  bool divides = op == TENON_DIM_DIV || op == TENON_DIM_MOD;
  if ((divides || op == TENON_DIM_FDIV) && tenon_dim_is(b, 0))
    return tenon_fraction_fail(in, TENON_PT2_EXPR_BAD, "divides by zero");
  *out = tenon_symbols_apply(in->with->symbols, op, a, b);
  if (!tenon_dim_is(*out, TENON_UNKNOWN)) return true;
  if (in->with->symbols->arena->failed)
    return tenon_fraction_fail(in, TENON_PT2_EXPR_MEMORY, "out of memory");
  return tenon_fraction_fail(in, TENON_PT2_EXPR_BAD, "goes beyond 64 bits");
}

// ---------------------------------------------------------------------------
// Floats
// ---------------------------------------------------------------------------

static bool is_binary(const tenon_fraction *f) {
  int64_t down = f->down.value;
  return !f->is_float && tenon_dim_is_fixed(f->down) && down > 0 &&
         (down & (down - 1)) == 0;
}

// Whether an operation on both has to round as doubles do.
static bool rounds(const tenon_fraction *a, const tenon_fraction *b) {
  if (!a->is_real && !b->is_real) return false;
  return !is_binary(a) || !is_binary(b);
}

static bool no_truths(tenon_fractions *in, const tenon_fraction *a,
                      const tenon_fraction *b) {
  if (!a->is_truth && !b->is_truth) return true;
  return tenon_fraction_fail(in, TENON_PT2_EXPR_UNSUPPORTED,
                             "computes with a truth value");
}

static bool to_float(tenon_fractions *in, tenon_fraction a, tenon_dim *out) {
  const tenon_dim zero = tenon_dim_fixed(0);
  tenon_dim down;
  *out = a.up;
  if (a.is_float) return true;
  if (!tenon_fraction_apply(in, TENON_DIM_FLOAT, a.up, zero, out)) return false;
  return tenon_dim_is(a.down, 1) ||
         (tenon_fraction_apply(in, TENON_DIM_FLOAT, a.down, zero, &down) &&
          tenon_fraction_apply(in, TENON_DIM_FDIV, *out, down, out));
}

static bool apply_floats(tenon_fractions *in, tenon_dim_op op, tenon_fraction a,
                         tenon_fraction b, tenon_fraction *out) {
  tenon_dim x, y;
  *out = tenon_fraction_whole(tenon_dim_fixed(0));
  out->is_real = out->is_float = true;
  return to_float(in, a, &x) && to_float(in, b, &y) &&
         tenon_fraction_apply(in, op, x, y, &out->up);
}

bool tenon_fraction_literal(tenon_fractions *in, double value,
                            tenon_fraction *out) {
  double whole = value;
  int64_t down = 1;
  if (!isfinite(value))
    return tenon_fraction_fail(in, TENON_PT2_EXPR_UNSUPPORTED,
                               "has %g, which is no number", value);
  while (down < MOST_BINARY && whole != floor(whole)) {
    whole *= 2;
    down *= 2;
  }
  *out = tenon_fraction_whole(tenon_dim_real(value));
  out->is_real = out->is_float = true;
  if (whole != floor(whole) || !(fabs(whole) < MOST_BINARY)) return true;
  out->is_float = false;
  out->up = tenon_dim_fixed((int64_t)whole);
  out->down = tenon_dim_fixed(down);
  return true;
}

// ---------------------------------------------------------------------------
// Arithmetic
// ---------------------------------------------------------------------------

// Where `up` divides by `down` without a rest, as in Mul(Rational(1, 2), 4).
static void fraction_reduce(tenon_fraction *f) {
  int64_t down = f->down.value;
  if (!tenon_dim_is_fixed(f->down) || !tenon_dim_is_fixed(f->up) || down == 0 ||
      down == -1 || f->up.value % down != 0)
    return;
  f->up.value /= down;
  f->down.value = 1;
}

bool tenon_fraction_negate(tenon_fractions *in, tenon_fraction *f) {
  if (!no_truths(in, f, f)) return false;
  if (f->is_float)
    return tenon_fraction_apply(in, TENON_DIM_FMUL, f->up, tenon_dim_real(-1),
                                &f->up);
  return tenon_fraction_apply(in, TENON_DIM_SUB, tenon_dim_fixed(0), f->up,
                              &f->up);
}

bool tenon_fraction_add(tenon_fractions *in, tenon_fraction a, tenon_fraction b,
                        bool minus, tenon_fraction *out) {
  tenon_dim x, y;
  if (!no_truths(in, &a, &b)) return false;
  if (rounds(&a, &b))
    return (!minus || tenon_fraction_negate(in, &b)) &&
           apply_floats(in, TENON_DIM_FADD, a, b, out);
  tenon_dim_op op = minus ? TENON_DIM_SUB : TENON_DIM_ADD;
  *out = a;
  out->is_real = a.is_real || b.is_real;
  if (tenon_dim_equals(a.down, b.down)) {
    x = a.up;
    y = b.up;
  } else if (!tenon_fraction_apply(in, TENON_DIM_MUL, a.up, b.down, &x) ||
             !tenon_fraction_apply(in, TENON_DIM_MUL, b.up, a.down, &y) ||
             !tenon_fraction_apply(in, TENON_DIM_MUL, a.down, b.down,
                                   &out->down)) {
    return false;
  }
  if (!tenon_fraction_apply(in, op, x, y, &out->up)) return false;
  fraction_reduce(out);
  return true;
}

bool tenon_fraction_multiply(tenon_fractions *in, tenon_fraction a,
                             tenon_fraction b, tenon_fraction *out) {
  if (!no_truths(in, &a, &b)) return false;
  if (rounds(&a, &b)) return apply_floats(in, TENON_DIM_FMUL, a, b, out);
  *out = a;
  out->is_real = a.is_real || b.is_real;
  if (!tenon_fraction_apply(in, TENON_DIM_MUL, a.up, b.up, &out->up) ||
      !tenon_fraction_apply(in, TENON_DIM_MUL, a.down, b.down, &out->down))
    return false;
  fraction_reduce(out);
  return true;
}

bool tenon_fraction_divide(tenon_fractions *in, tenon_fraction a,
                           tenon_fraction b, tenon_fraction *out) {
  if (!no_truths(in, &a, &b)) return false;
  if (rounds(&a, &b)) return apply_floats(in, TENON_DIM_FDIV, a, b, out);
  if (tenon_dim_is(b.up, 0))
    return tenon_fraction_fail(in, TENON_PT2_EXPR_BAD, "divides by zero");
  *out = a;
  out->is_real = a.is_real || b.is_real;
  if (!tenon_fraction_apply(in, TENON_DIM_MUL, a.up, b.down, &out->up) ||
      !tenon_fraction_apply(in, TENON_DIM_MUL, a.down, b.up, &out->down))
    return false;
  fraction_reduce(out);
  return true;
}

bool tenon_fraction_power(tenon_fractions *in, tenon_fraction base,
                          tenon_fraction exponent, tenon_fraction *out) {
  int64_t n = exponent.up.value;
  if (!tenon_dim_is_fixed(exponent.up) || !tenon_dim_is(exponent.down, 1) ||
      exponent.is_float || n > MOST_POWER || n < -MOST_POWER)
    return tenon_fraction_fail(in, TENON_PT2_EXPR_UNSUPPORTED,
                               "a power that is no number");
  // Libraries differ in how they round the power of a float.
  if (base.is_real && n != 1)
    return tenon_fraction_fail(in, TENON_PT2_EXPR_UNSUPPORTED,
                               "a power of a float");
  tenon_fraction one = tenon_fraction_whole(tenon_dim_fixed(1));
  *out = one;
  for (int64_t i = 0; i < (n < 0 ? -n : n); ++i)
    if (!tenon_fraction_multiply(in, *out, base, out)) return false;
  return n >= 0 || tenon_fraction_divide(in, one, *out, out);
}

static bool are_integers(tenon_fractions *in, const tenon_fraction *a,
                         const tenon_fraction *b, const char *what) {
  if (!no_truths(in, a, b)) return false;
  if (tenon_dim_is(a->down, 1) && tenon_dim_is(b->down, 1) && !a->is_float &&
      !b->is_float)
    return true;
  return tenon_fraction_fail(in, TENON_PT2_EXPR_UNSUPPORTED, "%s", what);
}

bool tenon_fraction_modulo(tenon_fractions *in, tenon_fraction a,
                           tenon_fraction b, tenon_fraction *out) {
  *out = a;
  return are_integers(in, &a, &b, "the rest of a fraction") &&
         tenon_fraction_apply(in, TENON_DIM_MOD, a.up, b.up, &out->up);
}

bool tenon_fraction_extreme(tenon_fractions *in, bool is_max, tenon_fraction a,
                            tenon_fraction b, tenon_fraction *out) {
  *out = a;
  out->is_real = a.is_real || b.is_real;
  return are_integers(in, &a, &b, "compares fractions") &&
         tenon_fraction_apply(in, is_max ? TENON_DIM_MAX : TENON_DIM_MIN, a.up,
                              b.up, &out->up);
}

// ---------------------------------------------------------------------------
// Integers
// ---------------------------------------------------------------------------

bool tenon_fraction_floor(tenon_fractions *in, tenon_fraction a,
                          tenon_dim *out) {
  const tenon_dim zero = tenon_dim_fixed(0);
  if (!no_truths(in, &a, &a)) return false;
  if (a.is_float)
    return tenon_fraction_apply(in, TENON_DIM_FLOOR, a.up, zero, out);
  *out = a.up;
  return tenon_dim_is(a.down, 1) ||
         tenon_fraction_apply(in, TENON_DIM_DIV, a.up, a.down, out);
}

// -floor(-x).
bool tenon_fraction_ceil(tenon_fractions *in, tenon_fraction a,
                         tenon_dim *out) {
  tenon_dim x;
  return tenon_fraction_negate(in, &a) && tenon_fraction_floor(in, a, &x) &&
         tenon_fraction_apply(in, TENON_DIM_SUB, tenon_dim_fixed(0), x, out);
}

// One of both is zero.
bool tenon_fraction_trunc(tenon_fractions *in, tenon_fraction a,
                          tenon_dim *out) {
  tenon_dim zero = tenon_dim_fixed(0), low, high;
  return tenon_fraction_floor(in, a, &low) &&
         tenon_fraction_ceil(in, a, &high) &&
         tenon_fraction_apply(in, TENON_DIM_MAX, low, zero, &low) &&
         tenon_fraction_apply(in, TENON_DIM_MIN, high, zero, &high) &&
         tenon_fraction_apply(in, TENON_DIM_ADD, low, high, out);
}

bool tenon_fraction_round(tenon_fractions *in, tenon_fraction a,
                          tenon_dim *out) {
  if (!no_truths(in, &a, &a)) return false;
  *out = a.up;
  if (!a.is_float && tenon_dim_is(a.down, 1)) return true;
  return to_float(in, a, &a.up) &&
         tenon_fraction_apply(in, TENON_DIM_ROUND, a.up, tenon_dim_fixed(0),
                              out);
}

// ---------------------------------------------------------------------------
// Truth values
// ---------------------------------------------------------------------------

// 1 where the size is above 0, else 0.
static bool is_positive(tenon_fractions *in, tenon_dim d, tenon_dim *out) {
  return tenon_fraction_apply(in, TENON_DIM_MIN, d, tenon_dim_fixed(1), out) &&
         tenon_fraction_apply(in, TENON_DIM_MAX, *out, tenon_dim_fixed(0), out);
}

// Whether what stands below the line is a size above zero.
static bool divides_above(tenon_fractions *in, const tenon_fraction *f) {
  const tenon_dim one = tenon_dim_fixed(1);
  tenon_dim least =
      tenon_symbols_apply(in->with->symbols, TENON_DIM_MIN, f->down, one);
  return tenon_dim_is(least, 1);
}

// Of two doubles the difference is zero only where they are equal.
static bool is_float_above(tenon_fractions *in, tenon_fraction a,
                           tenon_fraction b, tenon_dim *out) {
  const tenon_dim zero = tenon_dim_fixed(0);
  return tenon_fraction_negate(in, &a) &&
         apply_floats(in, TENON_DIM_FADD, b, a, &a) &&
         tenon_fraction_apply(in, TENON_DIM_FLOOR, a.up, zero, out) &&
         tenon_fraction_apply(in, TENON_DIM_SUB, zero, *out, out) &&
         is_positive(in, *out, out);
}

static bool is_above(tenon_fractions *in, tenon_fraction a, tenon_fraction b,
                     tenon_dim *out) {
  tenon_dim x, y;
  if (a.is_float || b.is_float || rounds(&a, &b) || !divides_above(in, &a) ||
      !divides_above(in, &b))
    return is_float_above(in, a, b, out);
  return tenon_fraction_apply(in, TENON_DIM_MUL, a.up, b.down, &x) &&
         tenon_fraction_apply(in, TENON_DIM_MUL, b.up, a.down, &y) &&
         tenon_fraction_apply(in, TENON_DIM_SUB, x, y, out) &&
         is_positive(in, *out, out);
}

bool tenon_fraction_compare(tenon_fractions *in, uint32_t relation,
                            tenon_fraction a, tenon_fraction b,
                            tenon_fraction *out) {
  tenon_dim low, high;
  if (!no_truths(in, &a, &b) || !is_above(in, b, a, &low) ||
      !is_above(in, a, b, &high))
    return false;
  *out = tenon_fraction_whole(low);
  out->is_truth = true;
  if (relation == TENON_RELATION_LT) return true;
  if (relation == TENON_RELATION_LE) {
    out->up = high;
    return tenon_fraction_not(in, *out, out);
  }
  if (!tenon_fraction_apply(in, TENON_DIM_MAX, low, high, &out->up))
    return false;
  return relation == TENON_RELATION_NE || tenon_fraction_not(in, *out, out);
}

static bool is_truth(tenon_fractions *in, const tenon_fraction *f) {
  return f->is_truth || tenon_fraction_fail(in, TENON_PT2_EXPR_UNSUPPORTED,
                                            "takes a number for a truth value");
}

bool tenon_fraction_not(tenon_fractions *in, tenon_fraction a,
                        tenon_fraction *out) {
  *out = a;
  return is_truth(in, &a) &&
         tenon_fraction_apply(in, TENON_DIM_SUB, tenon_dim_fixed(1), a.up,
                              &out->up);
}

bool tenon_fraction_join(tenon_fractions *in, bool is_either, tenon_fraction a,
                         tenon_fraction b, tenon_fraction *out) {
  *out = a;
  return is_truth(in, &a) && is_truth(in, &b) &&
         tenon_fraction_apply(in, is_either ? TENON_DIM_MAX : TENON_DIM_MIN,
                              a.up, b.up, &out->up);
}

// b + truth * (a - b).
bool tenon_fraction_select(tenon_fractions *in, tenon_fraction truth,
                           tenon_fraction a, tenon_fraction b,
                           tenon_fraction *out) {
  tenon_dim d;
  if (!is_truth(in, &truth)) return false;
  if (a.is_truth != b.is_truth || a.is_float || b.is_float ||
      !tenon_dim_is(a.down, 1) || !tenon_dim_is(b.down, 1))
    return tenon_fraction_fail(in, TENON_PT2_EXPR_UNSUPPORTED,
                               "chooses between what are no sizes");
  *out = b;
  out->is_real = a.is_real || b.is_real;
  return tenon_fraction_apply(in, TENON_DIM_SUB, a.up, b.up, &d) &&
         tenon_fraction_apply(in, TENON_DIM_MUL, truth.up, d, &d) &&
         tenon_fraction_apply(in, TENON_DIM_ADD, b.up, d, &out->up);
}
