// call.h - a tenon_call as a call of torch's dispatcher.
#ifndef LIBTORCH_CALL_H
#define LIBTORCH_CALL_H

#include "shims.h"
#include "tenon/tensor.h"

// torch's number of an element type; false: it has none.
bool call_dtype(tenon_dtype dtype, int32_t *out);
// Whether the attribute of that name is None, or there is none.
bool call_is_none(const tenon_call *c, const char *name);
// Whether the numbers among the arguments can be passed (numbers.h).
bool call_takes_numbers(const tenon_call *c);
tenon_status call_run(const tenon_call *c);

#endif  // LIBTORCH_CALL_H
