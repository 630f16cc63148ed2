// core_math.c - functions of one plain number: rounding, logarithms, angles,
// the error function, and what they have in kern/rows/unary.def.
#include "ops/core/core_rule.h"

static tenon_status infer_number(tenon_infer *c, tenon_dtype dtype) {
  tenon_type y = *tenon_infer_in(c, 0);
  if (y.quant) return tenon_infer_fail(c, "x is quantised, expected numbers");
  if (dtype) y.dtype = dtype;
  return tenon_infer_out(c, 0, &y);
}
static tenon_status number_infer(tenon_infer *c) {
  return infer_number(c, 0);
}
static tenon_status truth_infer(tenon_infer *c) {
  return infer_number(c, TENON_BOOL);
}

#define MATH(name, its_infer, its_doc)                                     \
  TENON_KERNELS_##name(CORE_ROW) CORE_LIST(name, CORE_EACH(name) NULL);    \
  CORE_OP(name) = {                                                        \
      CORE_EACH_HEADER,   .schema = "core::" #name "(Tensor x) -> Tensor", \
      .doc = its_doc,     .infer = its_infer,                              \
      CORE_KERNELS(name),                                                  \
  }

MATH(floor, number_infer, "The next integer below.");
MATH(ceil, number_infer, "The next integer above.");
MATH(trunc, number_infer, "The next integer towards zero.");
MATH(round, number_infer, "The nearest integer; of two, the even one.");
MATH(sign, number_infer, "-1, 0 or 1; 0 for NaN.");
MATH(exp2, number_infer, "2 to the power of x.");
MATH(expm1, number_infer, "e to the power of x, less 1.");
MATH(log2, number_infer, "The logarithm to base 2.");
MATH(log10, number_infer, "The logarithm to base 10.");
MATH(log1p, number_infer, "The natural logarithm of 1 + x.");
MATH(sin, number_infer, "The sine.");
MATH(cos, number_infer, "The cosine.");
MATH(tan, number_infer, "The tangent.");
MATH(asin, number_infer, "The angle whose sine is x.");
MATH(acos, number_infer, "The angle whose cosine is x.");
MATH(atan, number_infer, "The angle whose tangent is x.");
MATH(sinh, number_infer, "The hyperbolic sine.");
MATH(cosh, number_infer, "The hyperbolic cosine.");
MATH(asinh, number_infer, "The inverse of sinh.");
MATH(acosh, number_infer, "The inverse of cosh.");
MATH(atanh, number_infer, "The inverse of tanh.");
MATH(erf, number_infer, "The error function.");
MATH(erfc, number_infer, "1 less the error function.");
MATH(erfinv, number_infer, "The inverse of the error function.");
MATH(lgamma, number_infer,
     "The logarithm of the absolute value of the gamma function.");
MATH(digamma, number_infer, "The derivative of lgamma.");
MATH(i0, number_infer, "The modified Bessel function of order 0.");
MATH(i1, number_infer, "The modified Bessel function of order 1.");
MATH(i0e, number_infer, "i0 times e to the power of -|x|.");
MATH(i1e, number_infer, "i1 times e to the power of -|x|.");
MATH(bessel_j0, number_infer, "The Bessel function of order 0.");
MATH(bessel_j1, number_infer, "The Bessel function of order 1.");
MATH(bessel_y0, number_infer, "That of the second kind, of order 0.");
MATH(bessel_y1, number_infer, "That of the second kind, of order 1.");
MATH(bessel_k0, number_infer,
     "The modified one of the second kind, of order 0.");
MATH(bessel_k1, number_infer,
     "The modified one of the second kind, of order 1.");
MATH(bessel_k0e, number_infer, "bessel_k0 times e to the power of x.");
MATH(bessel_k1e, number_infer, "bessel_k1 times e to the power of x.");
MATH(airy_ai, number_infer, "The function of Airy.");
MATH(erfcx, number_infer, "erfc times e to the power of x squared.");
MATH(ndtri, number_infer, "Where the normal distribution reaches x.");
MATH(bitwise_not, number_infer, "The other bits; of bool, the other value.");
MATH(isnan, truth_infer, "Whether x is not a number.");
MATH(isinf, truth_infer, "Whether x is infinite.");
