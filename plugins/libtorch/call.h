// call.h - a tenon_call as a call of torch.
#ifndef LIBTORCH_CALL_H
#define LIBTORCH_CALL_H

#include "tenon/tensor.h"

// Whether all of the call can go to torch by the way that there is (value.h);
// what cannot is left in the call as a fault.
bool call_match(const tenon_call *c);
// With sizes that data decide: calls torch, keeps the results for the run that
// follows on this thread, and writes their dimensions, or the one number that
// is the result.
tenon_status call_measure(const tenon_call *c);
tenon_status call_run(const tenon_call *c);

#endif  // LIBTORCH_CALL_H
