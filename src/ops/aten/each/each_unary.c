// Operators on one operand that no formula says.
#include <math.h>
#include <string.h>

#include "ops/aten/each/each_op.h"

// One core operator that takes every type.
tenon_status tenon_aten_unary_lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  return tenon_rw_replace(rw, n, tenon_rw_op1(rw, tenon_aten_user(rw), x));
}

// Rounding: integers are what they are.
tenon_status tenon_aten_rounding_lower(tenon_rewriter *rw,
                                       const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  if (t && !tenon_aten_is_float(t->dtype)) return tenon_rw_replace(rw, n, x);
  return tenon_aten_unary_lower(rw, n);
}

// To a number of decimals, which may be negative.
tenon_status tenon_aten_decimals_lower(tenon_rewriter *rw,
                                       const tenon_node *n) {
  tenon_each e;
  TENON_TRY(tenon_each_begin(&e, rw, n, 'n'));
  int64_t decimals = tenon_aten_int(rw, n, "decimals");
  tenon_value *x = tenon_each_in(&e, 0);
  if (!tenon_each_is_float(&e)) return tenon_each_end(&e, x);
  tenon_value *ten = tenon_each_number(&e, pow(10, fabs((double)decimals)));
  const char *there = decimals < 0 ? "core::div" : "core::mul";
  const char *back = decimals < 0 ? "core::mul" : "core::div";
  if (decimals == 0)
    return tenon_each_end(&e, tenon_rw_op1(rw, "core::round", x));
  x = tenon_rw_op2(rw, there, x, ten);
  x = tenon_rw_op1(rw, "core::round", x);
  return tenon_each_end(&e, tenon_rw_op2(rw, back, x, ten));
}

tenon_status tenon_aten_signbit_lower(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_type *t = tenon_rw_type(rw, tenon_aten_in(rw, n, 0));
  bool is_float = t && tenon_aten_is_float(t->dtype);
  return tenon_each_lower(rw, n,
                          is_float ? "b: copysign(1, x) < 0" : "c: x < 0");
}

// NaN and infinities by numbers; the limits of the operand's type by default.
tenon_status tenon_aten_nan_to_num_lower(tenon_rewriter *rw,
                                         const tenon_node *n) {
  tenon_each e;
  TENON_TRY(tenon_each_begin(&e, rw, n, 'n'));
  tenon_value *x = tenon_aten_in(rw, n, 0);
  if (!tenon_aten_is_float(e.type)) return tenon_rw_replace(rw, n, x);
  double most = e.type == TENON_F64    ? 1.7976931348623157e308
                : e.type == TENON_F32  ? 3.4028234663852886e38
                : e.type == TENON_BF16 ? 3.3895313892515355e38
                                       : 65504;
  double nan = tenon_aten_float(rw, n, "nan");
  double high = tenon_aten_has(rw, n, "posinf")
                    ? tenon_aten_float(rw, n, "posinf")
                    : most;
  double low = tenon_aten_has(rw, n, "neginf")
                   ? tenon_aten_float(rw, n, "neginf")
                   : -most;
  e.compute = e.type;
  tenon_value *in[3] = {
      tenon_rw_op2(rw, "core::eq", x, tenon_each_number(&e, (double)INFINITY)),
      tenon_each_number(&e, high), x};
  tenon_value *y = tenon_rw_op(rw, "core::where", in, 3, NULL);
  in[0] =
      tenon_rw_op2(rw, "core::eq", x, tenon_each_number(&e, -(double)INFINITY));
  in[1] = tenon_each_number(&e, low);
  in[2] = y;
  y = tenon_rw_op(rw, "core::where", in, 3, NULL);
  in[0] = tenon_rw_op1(rw, "core::isnan", x);
  in[1] = tenon_each_number(&e, nan);
  in[2] = y;
  return tenon_each_end(&e, tenon_rw_op(rw, "core::where", in, 3, NULL));
}

// The logarithm of the odds; `eps` keeps x away from 0 and 1, the lower limit
// first where it is above the other. Both have the type of x.
tenon_status tenon_aten_logit_lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_each e;
  if (!tenon_aten_has(rw, n, "eps"))
    return tenon_each_lower(rw, n, "f= log(x / (1 - x))");
  TENON_TRY(tenon_each_begin(&e, rw, n, 'f'));
  tenon_value *x = tenon_each_in(&e, 0);
  if (!x) return tenon_rw_fail(rw, "an operand is missing");
  const double eps = tenon_aten_float(rw, n, "eps");
  tenon_value *one = tenon_aten_real(rw, e.type, 1),
              *lo = tenon_aten_real(rw, e.type, eps),
              *hi = tenon_rw_op2(rw, "core::sub", one, lo);
  lo = tenon_aten_cast(rw, lo, e.compute);
  hi = tenon_aten_cast(rw, hi, e.compute);
  x = tenon_rw_where(
      rw, tenon_rw_op2(rw, "core::lt", x, lo), lo,
      tenon_rw_where(rw, tenon_rw_op2(rw, "core::gt", x, hi), hi, x));
  one = tenon_aten_real(rw, e.compute, 1);
  x = tenon_rw_op2(rw, "core::div", x, tenon_rw_op2(rw, "core::sub", one, x));
  return tenon_each_end(&e, tenon_rw_op1(rw, "core::log", x));
}

// It gives the same values: what it says of memory has no effect on them.
tenon_status tenon_aten_itself_lower(tenon_rewriter *rw, const tenon_node *n) {
  return tenon_rw_replace(rw, n, tenon_aten_in(rw, n, 0));
}

// What is itself for real numbers alone.
tenon_status tenon_aten_real_lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  if (t && (t->dtype == TENON_C64 || t->dtype == TENON_C128))
    return tenon_rw_fail(rw, "complex numbers are not supported");
  return tenon_rw_replace(rw, n, x);
}

// The result's element type: of `dtype`, of another operand, or the operand's.
tenon_status tenon_aten_to_lower(tenon_rewriter *rw, const tenon_node *n) {
  const char *other = tenon_aten_user(rw);
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_dtype dtype = tenon_aten_dtype(rw, n, "dtype");
  if (other) {
    const tenon_type *like = tenon_rw_type(rw, tenon_aten_in(rw, n, 1));
    dtype = like ? like->dtype : 0;
  }
  if (!dtype && t) dtype = t->dtype;
  return tenon_rw_replace(rw, n, tenon_aten_cast(rw, x, dtype));
}

// The second operand, in type and shape of the first.
tenon_status tenon_aten_copy_lower(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_type *t = tenon_rw_type(rw, tenon_aten_in(rw, n, 0));
  tenon_value *y = tenon_aten_in(rw, n, 1);
  if (!t) return tenon_rw_replace(rw, n, y);
  y = tenon_aten_cast(rw, y, t->dtype);
  const tenon_type *is = tenon_rw_type(rw, y);
  bool is_same = is && is->rank == t->rank;
  for (int i = 0; is_same && i < t->rank; ++i)
    is_same = tenon_aten_same(is->dims[i], t->dims[i]);
  return tenon_rw_replace(
      rw, n, is_same ? y : tenon_each_fill(rw, y, t->dims, t->rank));
}
