// ir/scalar.h - one element of any type as a number, and back.
//
// For literals and for constants in text. Sub-byte types have a byte here.
#ifndef TENON_IR_SCALAR_H
#define TENON_IR_SCALAR_H

#include "tenon/tensor.h"

// Writes `value` as an element, rounded to nearest for floats. False for an
// integer type that cannot hold it and for types without numbers.
bool tenon_scalar_store(tenon_dtype dtype, double value, void *data);
// The same for integers, which a double need not hold.
bool tenon_scalar_store_int(tenon_dtype dtype, int64_t value, void *data);
// f16 and bf16 to float; exact.
float tenon_scalar_f16(uint16_t bits);
float tenon_scalar_bf16(uint16_t bits);

#endif  // TENON_IR_SCALAR_H
