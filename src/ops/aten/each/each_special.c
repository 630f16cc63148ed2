// Special functions that a formula cannot say: polynomials whose degree or
// place is a number, sums over lgamma, derivatives of digamma; and nearness.
#include <math.h>
#include <stdlib.h>

#include "ops/aten/each/each_op.h"

// x and n are tensors, or one of them is a Python number.
TENON_ATEN_LOWER(orthogonal) {
  static const char *const names[2] = {"x", "n"};
  const char *family = tenon_aten_user(rw);
  tenon_aten_promotion p = {0, 0, 0};
  tenon_scalar numbers[2] = {{0, {0}}, {0, {0}}};
  tenon_value *in[2];
  int at = 0;
  for (int i = 0; i < 2; ++i) {
    numbers[i] = tenon_aten_scalar(rw, n, names[i]);
    if (numbers[i].kind)
      tenon_aten_promote_scalar(&p, numbers[i]);
    else
      tenon_aten_promote_value(rw, &p, in[i] = tenon_aten_in(rw, n, at++));
  }
  tenon_dtype t = tenon_aten_promoted_float(&p);
  if (t != TENON_F32 && t != TENON_F64)
    return tenon_rw_fail(rw, "not defined for elements of %s",
                         tenon_dtype_name(t));
  for (int i = 0; i < 2; ++i)
    in[i] = numbers[i].kind ? tenon_aten_number(rw, t, numbers[i])
                            : tenon_aten_cast(rw, in[i], t);
  return tenon_rw_replace(
      rw, n,
      tenon_rw_op(rw, "core::orthogonal", in, 2,
                  TENON_ARGS(tenon_arg_int("family", atoi(family)))));
}

// Its sign changes with n; below 0, trigamma goes by its reflection, since it
// is what PyTorch computes.
TENON_ATEN_LOWER(polygamma) {
  int64_t order = tenon_aten_int(rw, n, "n");
  double factorial = 1;
  tenon_each e;
  if (order < 0 || order == TENON_UNKNOWN)
    return tenon_rw_fail(rw, "n is not a number from 0 on");
  if (order == 0) return tenon_each_lower(rw, n, "f: digamma(x)");
  if (order == 1)
    return tenon_each_lower(rw, n,
                            "f: x < 0.5 ? pi * pi / square(sin(x * pi)) - "
                            "zeta(2, 1 - x) : zeta(2, x)");
  TENON_TRY(tenon_each_begin(&e, rw, n, 'f'));
  for (int64_t k = 2; k <= order && factorial < (double)INFINITY; ++k)
    factorial *= (double)k;
  return tenon_each_end(
      &e, tenon_aten_formula(rw, "x #s #factor: zeta(s, x) * factor",
                             tenon_each_in(&e, 0), (double)(order + 1),
                             order % 2 ? factorial : -factorial));
}

TENON_ATEN_LOWER(mvlgamma) {
  int64_t p = tenon_aten_int(rw, n, "p");
  tenon_each e;
  if (p < 1 || p > 64) return tenon_rw_fail(rw, "p is not between 1 and 64");
  TENON_TRY(tenon_each_begin(&e, rw, n, 'f'));
  tenon_value *x = tenon_each_in(&e, 0),
              *sum = tenon_rw_op1(rw, "core::lgamma", x);
  for (int64_t j = 1; j < p; ++j)
    sum = tenon_aten_formula(rw, "sum x #less: sum + lgamma(x - less)", sum, x,
                             0.5 * (double)j);
  const double rest =
      (double)(p * (p - 1)) * 0.25 * 1.1447298858494002;  // log(pi)
  return tenon_each_end(
      &e,
      p > 1 ? tenon_aten_formula(rw, "sum #rest: sum + rest", sum, rest) : sum);
}

// Integers are near within floats, since rtol is one.
TENON_ATEN_LOWER(isclose) {
  double rtol = tenon_aten_float(rw, n, "rtol");
  double atol = tenon_aten_float(rw, n, "atol");
  bool nan_is_close = tenon_aten_bool(rw, n, "equal_nan");
  tenon_each e;
  if (!(rtol >= 0) || !(atol >= 0))
    return tenon_rw_fail(rw, "a tolerance is below 0");
  TENON_TRY(tenon_each_begin(&e, rw, n, 'b'));
  const bool is_float = tenon_each_is_float(&e);
  e.compute = e.type == TENON_BOOL ? TENON_S32 : e.type;
  tenon_value *x = tenon_each_in(&e, 0), *y = tenon_each_in(&e, 1);
  tenon_value *close = tenon_aten_formula(
      rw, "x y @nan: if(nan, isnan(x) & isnan(y) | x == y, x == y)", x, y,
      is_float && nan_is_close);
  if (rtol == 0 && atol == 0) return tenon_each_end(&e, close);
  return tenon_each_end(
      &e,
      tenon_aten_formula(
          rw,
          "x y close t #rtol #atol: apart = like(abs(x - y), t);"
          "apart <= atol + abs(like(y, t) * rtol) & apart < inf | close",
          x, y, close, tenon_aten_real(rw, is_float ? e.type : TENON_F32, 0),
          rtol, atol));
}

TENON_ATEN_LOWER(real_truth) {
  const tenon_type *t = tenon_rw_type(rw, tenon_aten_in(rw, n, 0));
  if (t->dtype == TENON_C64 || t->dtype == TENON_C128)
    return tenon_rw_fail(rw, "complex numbers are not supported");
  return tenon_rw_replace(
      rw, n,
      tenon_aten_expand(rw, tenon_aten_real(rw, TENON_BOOL, 1), t->dims,
                        t->rank));
}
