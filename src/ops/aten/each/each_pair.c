// Operators on two operands that no formula says: modes of division, powers,
// limits, and the choice between two.
#include <math.h>
#include <string.h>

#include "ops/aten/each/each_op.h"

// rounding_mode: None, "trunc" or "floor".
TENON_ATEN_LOWER(div_mode) {
  bool has_two = tenon_aten_user(rw) == NULL;
  const char *mode = tenon_aten_str(rw, n, "rounding_mode");
  tenon_each e;
  if (!mode)
    return tenon_each_lower(
        rw, n, has_two ? "f: x / exact(y)" : "f: x / exact(other)");
  if (strcmp(mode, "floor") == 0)
    return tenon_each_lower(rw, n,
                            has_two ? "n: floor_div(x, exact(y))"
                                    : "n: floor_div(x, exact(other))");
  if (strcmp(mode, "trunc") != 0)
    return tenon_rw_fail(rw, "rounding_mode '%s' is not known", mode);
  TENON_TRY(tenon_each_begin(&e, rw, n, 'n'));
  // 16 bits are rounded before the fraction is dropped, unless what divides is
  // one number.
  if (tenon_each_is_float(&e))
    return tenon_each_lower(rw, n,
                            !has_two ? "n: trunc(x / exact(other))"
                            : tenon_each_has_one(&e, 1)
                                ? "n: trunc(x / exact(y))"
                                : "n= trunc(x / y)");
  return tenon_each_lower(rw, n, has_two ? "n: x / y" : "n: x / other");
}

// The power is rounded to the type of exponents that are floats. Of types that
// have none in common it is a float first.
TENON_ATEN_LOWER(ldexp) {
  tenon_value *power = tenon_aten_in(rw, n, 1);
  const tenon_type *t = tenon_aten_known(rw, power);
  tenon_aten_promotion both = {0};
  tenon_aten_promote_value(rw, &both, tenon_aten_in(rw, n, 0));
  tenon_aten_promote_value(rw, &both, power);
  const bool is_apart = !tenon_aten_promoted(&both);
  if (!is_apart && (!tenon_aten_is_float(t->dtype) || t->rank == 0))
    return tenon_each_lower(rw, n, "f: x * exp2(y)");
  power = tenon_rw_op1(rw, "aten::exp2", power);
  return tenon_rw_replace(
      rw, n,
      tenon_rw_op2(rw, "aten::mul.Tensor", tenon_aten_in(rw, n, 0), power));
}

// Limits that are numbers, by name; `clamp` of core where it can say them.
static tenon_status each_pair_limit(tenon_rewriter *rw, const tenon_node *n,
                                    tenon_scalar lo, tenon_scalar hi) {
  tenon_each e;
  tenon_aten_args args = {0};
  TENON_TRY(tenon_each_begin(&e, rw, n, 'n'));
  const tenon_scalar both[2] = {lo, hi};
  tenon_value *x = tenon_each_in(&e, 0);
  bool is_plain = tenon_each_is_float(&e);
  for (int i = 0; i < 2; ++i) {
    if (both[i].kind == 0) continue;
    const double v = tenon_aten_real_of(both[i]);
    is_plain =
        is_plain && v == v &&
        !(both[i].kind == TENON_KIND_INT && both[i].as.i == TENON_UNKNOWN);
    tenon_aten_add(&args, tenon_arg_float(i ? "hi" : "lo", v));
  }
  if (is_plain) {
    e.compute = e.type;
    x = tenon_each_in(&e, 0);
    return tenon_each_end(&e, tenon_rw_op(rw, "core::clamp", &x, 1, args.list));
  }
  for (int i = 0; i < 2; ++i) {
    if (both[i].kind == 0) continue;
    tenon_value *bound = tenon_each_scalar(&e, i ? "max" : "min");
    x = tenon_rw_op2(rw, i ? "core::minimum" : "core::maximum", x, bound);
  }
  return tenon_each_end(&e, x);
}

TENON_ATEN_LOWER(clamp) {
  return each_pair_limit(rw, n, tenon_aten_scalar(rw, n, "min"),
                         tenon_aten_scalar(rw, n, "max"));
}

// Integers keep their type: the limits are numbers that become integers.
TENON_ATEN_LOWER(hardtanh) {
  bool is_relu6 = tenon_aten_user(rw) != NULL;
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  const double lo = is_relu6 ? 0 : tenon_aten_float(rw, n, "min_val"),
               hi = is_relu6 ? 6 : tenon_aten_float(rw, n, "max_val");
  if (t && !tenon_aten_is_float(t->dtype) && !tenon_aten_is_integer(t->dtype))
    return tenon_rw_fail(rw, "limits of truth values");
  if (isnan(lo) || isnan(hi))
    return tenon_rw_fail(rw, "a limit that is not a number");
  return tenon_rw_replace(rw, n,
                          tenon_rw_op(rw, "core::clamp", &x, 1,
                                      TENON_ARGS(tenon_arg_float("lo", lo),
                                                 tenon_arg_float("hi", hi))));
}

static tenon_value *truth(tenon_rewriter *rw, tenon_value *x) {
  const tenon_type *t = tenon_rw_type(rw, x);
  if (!t || t->dtype == TENON_BOOL) return x;
  return tenon_rw_op2(rw, "core::ne", x, tenon_aten_real(rw, t->dtype, 0));
}

// Which of the two values are tensors is what overloads differ in.
TENON_ATEN_LOWER(where) {
  const char *form = tenon_aten_user(rw);  // "TT", "ST", ...
  tenon_aten_promotion p = {0, 0, 0};
  tenon_value *in[3] = {truth(rw, tenon_aten_in(rw, n, 0)), NULL, NULL};
  static const char *const names[2] = {"self", "other"};
  int at = 1;
  for (int i = 0; i < 2; ++i) {
    if (form[i] == 'S')
      tenon_aten_promote_scalar(&p, tenon_aten_scalar(rw, n, names[i]));
    else
      tenon_aten_promote_value(rw, &p, in[i + 1] = tenon_aten_in(rw, n, at++));
  }
  tenon_dtype t = tenon_aten_promoted(&p);
  if (t == 0) return tenon_rw_fail(rw, "the two have no common type");
  for (int i = 0; i < 2; ++i)
    in[i + 1] = form[i] == 'S' ? tenon_aten_number(
                                     rw, t, tenon_aten_scalar(rw, n, names[i]))
                               : tenon_aten_cast(rw, in[i + 1], t);
  return tenon_rw_replace(rw, n, tenon_rw_op(rw, "core::where", in, 3, NULL));
}
