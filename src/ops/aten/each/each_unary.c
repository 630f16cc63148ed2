// Operators on one operand that no formula says.
#include <math.h>
#include <string.h>

#include "ops/aten/each/each_op.h"

// To a number of decimals, which may be negative.
TENON_ATEN_LOWER(decimals) {
  tenon_each e;
  TENON_TRY(tenon_each_begin(&e, rw, n, 'n'));
  int64_t decimals = tenon_aten_int(rw, n, "decimals");
  tenon_value *x = tenon_each_in(&e, 0);
  if (!tenon_each_is_float(&e)) return tenon_each_end(&e, x);
  return tenon_each_end(
      &e, tenon_aten_formula(rw,
                             decimals == 0  ? "x #ten: round(x)"
                             : decimals < 0 ? "x #ten: round(x / ten) * ten"
                                            : "x #ten: round(x * ten) / ten",
                             x, pow(10, fabs((double)decimals))));
}

// NaN and infinities by numbers; the limits of the operand's type by default.
TENON_ATEN_LOWER(nan_to_num) {
  tenon_each e;
  TENON_TRY(tenon_each_begin(&e, rw, n, 'n'));
  tenon_value *x = tenon_aten_in(rw, n, 0);
  if (!tenon_aten_is_float(e.type)) return tenon_rw_replace(rw, n, x);
  double most = e.type == TENON_F64    ? 1.7976931348623157e308
                : e.type == TENON_F32  ? 3.4028234663852886e38
                : e.type == TENON_BF16 ? 3.3895313892515355e38
                                       : 65504;
  double high = tenon_aten_has(rw, n, "posinf")
                    ? tenon_aten_float(rw, n, "posinf")
                    : most;
  double low = tenon_aten_has(rw, n, "neginf")
                   ? tenon_aten_float(rw, n, "neginf")
                   : -most;
  return tenon_each_end(
      &e, tenon_aten_formula(rw,
                             "x #nan #high #low: isnan(x) ? nan : x == -inf ? "
                             "low : x == inf ? high : x",
                             x, tenon_aten_float(rw, n, "nan"), high, low));
}

// The logarithm of the odds; `eps` keeps x away from 0 and 1, the lower limit
// first where it is above the other. Both have the type of x.
TENON_ATEN_LOWER(logit) {
  tenon_each e;
  if (!tenon_aten_has(rw, n, "eps"))
    return tenon_each_lower(rw, n, "f= log(x / (1 - x))");
  TENON_TRY(tenon_each_begin(&e, rw, n, 'f'));
  tenon_value *x = tenon_each_in(&e, 0);
  if (!x) return tenon_rw_fail(rw, "an operand is missing");
  return tenon_each_end(
      &e, tenon_aten_formula(
              rw,
              "x eps one: lo = like(eps, x); hi = like(one - eps, x);"
              "y = x < lo ? lo : x > hi ? hi : x; log(y / (1 - y))",
              x, tenon_aten_real(rw, e.type, tenon_aten_float(rw, n, "eps")),
              tenon_aten_real(rw, e.type, 1)));
}

// What is itself for real numbers alone.
TENON_ATEN_LOWER(real) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  if (t && (t->dtype == TENON_C64 || t->dtype == TENON_C128))
    return tenon_rw_fail(rw, "complex numbers are not supported");
  return tenon_rw_replace(rw, n, x);
}

// The result's element type: of `dtype`, of another operand, or the operand's.
TENON_ATEN_LOWER(to) {
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
TENON_ATEN_LOWER(copy) {
  const tenon_type *t = tenon_rw_type(rw, tenon_aten_in(rw, n, 0));
  tenon_value *y = tenon_aten_in(rw, n, 1);
  y = tenon_aten_cast(rw, y, t->dtype);
  return tenon_rw_replace(rw, n, tenon_aten_expand(rw, y, t->dims, t->rank));
}
