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

#define MATH(name, its_infer, its_doc)                          \
  TENON_KERNELS_##name(CORE_ROW)                                \
      CORE_ELEMENTWISE(name, its_infer, (CORE_EACH(name) NULL), \
                       "(Tensor x) -> Tensor", its_doc)

MATH(floor, math_number_infer, "The next integer below.");
MATH(ceil, math_number_infer, "The next integer above.");
MATH(trunc, math_number_infer, "The next integer towards zero.");
MATH(round, math_number_infer, "The nearest integer; of two, the even one.");
MATH(sign, math_number_infer, "-1, 0 or 1; 0 for NaN.");
MATH(exp2, math_number_infer, "2 to the power of x.");
MATH(expm1, math_number_infer, "e to the power of x, less 1.");
MATH(log2, math_number_infer, "The logarithm to base 2.");
MATH(log10, math_number_infer, "The logarithm to base 10.");
MATH(log1p, math_number_infer, "The natural logarithm of 1 + x.");
MATH(sin, math_number_infer, "The sine.");
MATH(cos, math_number_infer, "The cosine.");
MATH(tan, math_number_infer, "The tangent.");
MATH(asin, math_number_infer, "The angle whose sine is x.");
MATH(acos, math_number_infer, "The angle whose cosine is x.");
MATH(atan, math_number_infer, "The angle whose tangent is x.");
MATH(sinh, math_number_infer, "The hyperbolic sine.");
MATH(cosh, math_number_infer, "The hyperbolic cosine.");
MATH(asinh, math_number_infer, "The inverse of sinh.");
MATH(acosh, math_number_infer, "The inverse of cosh.");
MATH(atanh, math_number_infer, "The inverse of tanh.");
MATH(erf, math_number_infer, "The error function.");
MATH(erfc, math_number_infer, "1 less the error function.");
MATH(erfinv, math_number_infer, "The inverse of the error function.");
MATH(lgamma, math_number_infer,
     "The logarithm of the absolute value of the gamma function.");
MATH(digamma, math_number_infer, "The derivative of lgamma.");
MATH(i0, math_number_infer, "The modified Bessel function of order 0.");
MATH(i1, math_number_infer, "The modified Bessel function of order 1.");
MATH(i0e, math_number_infer, "i0 times e to the power of -|x|.");
MATH(i1e, math_number_infer, "i1 times e to the power of -|x|.");
MATH(bessel_j0, math_number_infer, "The Bessel function of order 0.");
MATH(bessel_j1, math_number_infer, "The Bessel function of order 1.");
MATH(bessel_y0, math_number_infer, "That of the second kind, of order 0.");
MATH(bessel_y1, math_number_infer, "That of the second kind, of order 1.");
MATH(bessel_k0, math_number_infer,
     "The modified one of the second kind, of order 0.");
MATH(bessel_k1, math_number_infer,
     "The modified one of the second kind, of order 1.");
MATH(bessel_k0e, math_number_infer, "bessel_k0 times e to the power of x.");
MATH(bessel_k1e, math_number_infer, "bessel_k1 times e to the power of x.");
MATH(airy_ai, math_number_infer, "The function of Airy.");
MATH(erfcx, math_number_infer, "erfc times e to the power of x squared.");
MATH(ndtri, math_number_infer, "Where the normal distribution reaches x.");
MATH(bitwise_not, math_number_infer,
     "The other bits; of bool, the other value.");
MATH(isnan, truth_infer, "Whether x is not a number.");
MATH(isinf, truth_infer, "Whether x is infinite.");
