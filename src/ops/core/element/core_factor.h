// ops/core/element/core_factor.h - real factors and limits as integers, for
// packing.
//
// Runs where the model is compiled. The formulas are LiteRT's, including where
// it computes in float and where in double, since the integers depend on it.
#ifndef TENON_OPS_CORE_CORE_FACTOR_H
#define TENON_OPS_CORE_CORE_FACTOR_H

#include "kern/product/requant.h"
#include "tenon/tensor.h"

// factor = mult * 2^(shift - 31), mult in [2^30, 2^31) or 0. `factor` is not
// negative and not NaN.
void tenon_core_factor(double factor, int32_t *mult, int32_t *shift);

// The halves of a factor's bits, for tenon_requant_double: the lower one, and
// the higher, which is 0 or above 31.
void tenon_core_factor_double(double factor, int32_t *low, int32_t *high);

// The same for what is rounded once (kern/num/fixed.h): LiteRT's reference
// kernel multiplies a sum by the factor in double and rounds halves away from
// zero. `mult` is the nearest with which integers store the same result of 8
// bits for every sum; should there be none within two units, both are what
// tenon_core_factor_double gives.
void tenon_core_factor_once(double factor, int32_t *mult, int32_t *shift);

// The same for results of 16 bits and sums of no more than `most`, for
// tenon_requant_long. False where it is not proven that its result is that of
// doubles for each of them, within 16 bits, or the factor is above 1/4.
bool tenon_core_factor_long(double factor, int32_t most, int32_t *high,
                            int32_t *low, int32_t *shift);

// The limits of a stored result: the type's, and lo and hi in real numbers.
void tenon_core_limits(const tenon_tensor *y, tenon_opt_float lo,
                       tenon_opt_float hi, int32_t *least, int32_t *most);

// Scale and zero point of a tensor that has one of each.
double tenon_core_scale(const tenon_tensor *t);
int32_t tenon_core_zero(const tenon_tensor *t);

// True when both are quantised alike, up to what converters make of equal
// scales.
bool tenon_core_same_quant(const tenon_tensor *a, const tenon_tensor *b);

// s_x * s_w / s_y for channel i of the weights. With `is_single` the product of
// the first two is rounded to float: LiteRT's reference kernels do so for
// convolutions of u8 and for BATCH_MATMUL (GetQuantizedConvolutionMultipler),
// and divide doubles elsewhere. Rarely a result is another one.
double tenon_core_product_factor(const tenon_tensor *x, const tenon_tensor *w,
                                 int32_t i, const tenon_tensor *y,
                                 bool is_single);

// How a factor becomes integers, and sums become results by them: rounded twice
// (tenon_core_factor), also of a single product; once (tenon_core_factor_once);
// as doubles are (tenon_core_factor_double).
typedef enum tenon_core_rounding {
  TENON_CORE_TWICE,
  TENON_CORE_TWICE_SINGLE,
  TENON_CORE_ONCE,
  TENON_CORE_AS_DOUBLE
} tenon_core_rounding;

// A tenon_requant for sums of products of x with weights w; the factors are
// s_x * s_w / s_y. A null w stands for a weight of 1.
size_t tenon_core_requant_size(const tenon_tensor *w);
void tenon_core_pack_requant(const tenon_tensor *x, const tenon_tensor *w,
                             const tenon_tensor *y, tenon_opt_float lo,
                             tenon_opt_float hi, tenon_core_rounding how,
                             void *packed);
// `pack_size` and `pack` of kernels: of a tenon_requant without weights,
// without limits, rounded twice; and the size of one with the weights operand
// 1.
size_t tenon_core_factor_size(const tenon_call *c);
size_t tenon_core_factors_size(const tenon_call *c);
tenon_status tenon_core_factor_pack(const tenon_call *c, void *packed);

// True for weights that integer kernels take: one scale, with any zero point if
// `any_zero`, or one scale per entry of dimension `axis` with zero points 0.
bool tenon_core_match_weights(const tenon_tensor *w, int axis, bool any_zero);

#endif  // TENON_OPS_CORE_CORE_FACTOR_H
