// ir/scalar.h - one element of any type as a number, and back.
//
// For literals and for constants in text. Sub-byte types have a byte here.
#ifndef TENON_IR_SCALAR_H
#define TENON_IR_SCALAR_H

#include "tenon/attr.h"
#include "tenon/tensor.h"

// Writes `value` as an element, rounded to nearest for floats. False for an
// integer type that cannot hold it and for types without numbers.
bool tenon_scalar_store(tenon_dtype dtype, double value, void *data);
// The same for integers, which a double need not hold.
bool tenon_scalar_store_int(tenon_dtype dtype, int64_t value, void *data);
// An element as a number, exactly; kind 0 of types without numbers, and of
// those of 8 bits that are floats. A u64 as its bits.
tenon_scalar tenon_scalar_load(tenon_dtype dtype, const void *data);

#endif  // TENON_IR_SCALAR_H
