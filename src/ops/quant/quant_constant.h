// ops/quant/quant_constant.h - numbers that a program has as constants.
#ifndef TENON_OPS_QUANT_QUANT_CONSTANT_H
#define TENON_OPS_QUANT_QUANT_CONSTANT_H

#include "tenon/ext/lower.h"

// A constant, seen through views and casts; null: it is none.
const tenon_tensor *tenon_quant_constant(tenon_rewriter *rw, tenon_value *v);
// Element i as a number. False: of a type that no scale or zero point has.
bool tenon_quant_element(const tenon_tensor *t, size_t i, double *out);
// All are whole numbers from least to most.
bool tenon_quant_is_within(const tenon_tensor *t, double least, double most);
// Element i of n that constants make by casts, views, differences and products,
// as a dequantised bias is made. False: it is not so.
bool tenon_quant_known(tenon_rewriter *rw, tenon_value *v, size_t i, size_t n,
                       double *out);

#endif  // TENON_OPS_QUANT_QUANT_CONSTANT_H
