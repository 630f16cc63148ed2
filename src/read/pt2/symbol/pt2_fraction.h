// read/pt2/symbol/pt2_fraction.h - what an expression of sizes is worth, before
// it is a size: a fraction of two sizes, a float, or a truth value.
//
// Numbers that Python computes as doubles are `is_real`. As long as they are
// fractions of a power of two, or one quotient of such, fractions are as exact
// as doubles of sizes are (below 2^53). What rounds more than once becomes a
// float: operations that round as Python's do (TENON_DIM_FMUL and others).
#ifndef TENON_READ_PT2_FRACTION_H
#define TENON_READ_PT2_FRACTION_H

#include "read/pt2/symbol/pt2_expr.h"

typedef struct tenon_fraction {
  tenon_dim up, down;
  bool is_real;   // Python has a double here
  bool is_float;  // `up` is a float, `down` 1
  bool is_truth;  // `up` is 0 or 1, `down` 1
} tenon_fraction;

typedef struct tenon_fractions {
  const tenon_pt2_expr *with;
  tenon_pt2_expr_result result;  // the first that failed
} tenon_fractions;

TENON_INLINE bool tenon_dim_is(tenon_dim d, int64_t value) {
  return tenon_dim_is_fixed(d) && d.value == value;
}
TENON_INLINE tenon_fraction tenon_fraction_whole(tenon_dim d) {
  tenon_fraction f = {d, {1, 0}, false, false, false};
  return f;
}

// All below are false, with the reason noted, where there is no such value.
bool tenon_fraction_fail(tenon_fractions *in, tenon_pt2_expr_result result,
                         const char *fmt, ...) TENON_PRINTF(3, 4);
bool tenon_fraction_apply(tenon_fractions *in, tenon_dim_op op, tenon_dim a,
                          tenon_dim b, tenon_dim *out);
// A double.
bool tenon_fraction_literal(tenon_fractions *in, double value,
                            tenon_fraction *out);
bool tenon_fraction_add(tenon_fractions *in, tenon_fraction a, tenon_fraction b,
                        bool minus, tenon_fraction *out);
bool tenon_fraction_multiply(tenon_fractions *in, tenon_fraction a,
                             tenon_fraction b, tenon_fraction *out);
bool tenon_fraction_divide(tenon_fractions *in, tenon_fraction a,
                           tenon_fraction b, tenon_fraction *out);
bool tenon_fraction_negate(tenon_fractions *in, tenon_fraction *f);
bool tenon_fraction_power(tenon_fractions *in, tenon_fraction base,
                          tenon_fraction exponent, tenon_fraction *out);
// Both integers.
bool tenon_fraction_modulo(tenon_fractions *in, tenon_fraction a,
                           tenon_fraction b, tenon_fraction *out);
bool tenon_fraction_extreme(tenon_fractions *in, bool is_max, tenon_fraction a,
                            tenon_fraction b, tenon_fraction *out);
// To integers: down, up, towards zero, to the nearest and of two to the even.
bool tenon_fraction_floor(tenon_fractions *in, tenon_fraction a,
                          tenon_dim *out);
bool tenon_fraction_ceil(tenon_fractions *in, tenon_fraction a, tenon_dim *out);
bool tenon_fraction_trunc(tenon_fractions *in, tenon_fraction a,
                          tenon_dim *out);
bool tenon_fraction_round(tenon_fractions *in, tenon_fraction a,
                          tenon_dim *out);
// To so many decimals as Python's round does, tens where that is negative, and
// the bits of two integers, of which one is a number. In pt2_digits.c.
bool tenon_fraction_decimals(tenon_fractions *in, tenon_fraction a,
                             tenon_fraction digits, tenon_fraction *out);
bool tenon_fraction_bits(tenon_fractions *in, char op, tenon_fraction a,
                         tenon_fraction b, tenon_fraction *out);
// Truth values of numbers; `relation` is a tenon_relation.
bool tenon_fraction_compare(tenon_fractions *in, uint32_t relation,
                            tenon_fraction a, tenon_fraction b,
                            tenon_fraction *out);
bool tenon_fraction_not(tenon_fractions *in, tenon_fraction a,
                        tenon_fraction *out);
// Either of two truth values, or both.
bool tenon_fraction_join(tenon_fractions *in, bool is_either, tenon_fraction a,
                         tenon_fraction b, tenon_fraction *out);
// `a` where the truth value is, else `b`: integers, or truth values.
bool tenon_fraction_select(tenon_fractions *in, tenon_fraction truth,
                           tenon_fraction a, tenon_fraction b,
                           tenon_fraction *out);

#endif  // TENON_READ_PT2_FRACTION_H
