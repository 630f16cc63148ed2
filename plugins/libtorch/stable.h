// stable.h - calls of torch's dispatcher through its C interface, which needs
// nothing but the library. It has no form for Scalars, but those that an
// overload takes as tensors (numbers.h), nor for lists of them.
#ifndef LIBTORCH_STABLE_H
#define LIBTORCH_STABLE_H

#include "schema.h"
#include "value.h"

extern const value_caller stable_caller;

// Whether a given value of this argument has a form. `is_float`: the operator's
// result is of floats or complex numbers; `is_complex`: the value is one.
bool stable_can_pass(const char *schema, const argument *a, bool is_float,
                     bool is_complex);

#endif  // LIBTORCH_STABLE_H
