// core_math.c - functions of one plain number: rounding, logarithms, angles,
// the error function, and what they have in kern/rows/unary.def.
#include "ops/core/core_rule.h"

static tenon_status math_infer_number(tenon_infer *c, tenon_dtype dtype) {
  tenon_type y = *tenon_infer_in(c, 0);
  if (y.quant) return tenon_infer_fail(c, "x is quantised, expected numbers");
  if (dtype) y.dtype = dtype;
  return tenon_infer_out(c, 0, &y);
}
static tenon_status math_number_infer(tenon_infer *c) {
  return math_infer_number(c, 0);
}
static tenon_status truth_infer(tenon_infer *c) {
  return math_infer_number(c, TENON_BOOL);
}

#define MATH_OF(name, its_flags, its_infer, its_doc)                           \
  TENON_KERNELS_##name(CORE_ROW) CORE_OPERATOR_OF(                             \
      name, CORE_EACH_HEADER | (its_flags), its_infer, (CORE_EACH(name) NULL), \
      "(Tensor x) -> Tensor", its_doc)
#define MATH(name, ...) MATH_OF(name, 0, __VA_ARGS__)
#define FUNCTION(name, its_doc) \
  MATH_OF(name, TENON_OP_COSTLY, math_number_infer, its_doc)

MATH(floor, math_number_infer, "The next integer below.");
MATH(ceil, math_number_infer, "The next integer above.");
MATH(trunc, math_number_infer, "The next integer towards zero.");
MATH(round, math_number_infer, "The nearest integer; of two, the even one.");
MATH(sign, math_number_infer, "-1, 0 or 1; 0 for NaN.");
FUNCTION(exp2, "2 to the power of x.");
FUNCTION(expm1, "e to the power of x, less 1.");
FUNCTION(log2, "The logarithm to base 2.");
FUNCTION(log10, "The logarithm to base 10.");
FUNCTION(log1p, "The natural logarithm of 1 + x.");
FUNCTION(sin, "The sine.");
FUNCTION(cos, "The cosine.");
FUNCTION(tan, "The tangent.");
FUNCTION(asin, "The angle whose sine is x.");
FUNCTION(acos, "The angle whose cosine is x.");
FUNCTION(atan, "The angle whose tangent is x.");
FUNCTION(sinh, "The hyperbolic sine.");
FUNCTION(cosh, "The hyperbolic cosine.");
FUNCTION(asinh, "The inverse of sinh.");
FUNCTION(acosh, "The inverse of cosh.");
FUNCTION(atanh, "The inverse of tanh.");
FUNCTION(erf, "The error function.");
FUNCTION(erfc, "1 less the error function.");
FUNCTION(erfinv, "The inverse of the error function.");
FUNCTION(lgamma, "The logarithm of the absolute value of the gamma function.");
FUNCTION(digamma, "The derivative of lgamma.");
FUNCTION(i0, "The modified Bessel function of order 0.");
FUNCTION(i1, "The modified Bessel function of order 1.");
FUNCTION(i0e, "i0 times e to the power of -|x|.");
FUNCTION(i1e, "i1 times e to the power of -|x|.");
FUNCTION(bessel_j0, "The Bessel function of order 0.");
FUNCTION(bessel_j1, "The Bessel function of order 1.");
FUNCTION(bessel_y0, "That of the second kind, of order 0.");
FUNCTION(bessel_y1, "That of the second kind, of order 1.");
FUNCTION(bessel_k0, "The modified one of the second kind, of order 0.");
FUNCTION(bessel_k1, "The modified one of the second kind, of order 1.");
FUNCTION(bessel_k0e, "bessel_k0 times e to the power of x.");
FUNCTION(bessel_k1e, "bessel_k1 times e to the power of x.");
FUNCTION(airy_ai, "The function of Airy.");
FUNCTION(erfcx, "erfc times e to the power of x squared.");
FUNCTION(ndtri, "Where the normal distribution reaches x.");
MATH(bitwise_not, math_number_infer,
     "The other bits; of bool, the other value.");
MATH(isnan, truth_infer, "Whether x is not a number.");
MATH(isinf, truth_infer, "Whether x is infinite.");
