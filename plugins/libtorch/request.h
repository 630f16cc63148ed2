// request.h - the arguments of a tenon_call as values for torch, in the order
// of its schema.
#ifndef LIBTORCH_REQUEST_H
#define LIBTORCH_REQUEST_H

#include "schema.h"
#include "tenon/tensor.h"
#include "value.h"

#define REQUEST_MOST_ARGUMENTS 64

// Values point to each other and into the call.
typedef struct request {
  const tenon_call *call;
  value arguments[REQUEST_MOST_ARGUMENTS];
  argument schema[REQUEST_MOST_ARGUMENTS];
  const char *names[REQUEST_MOST_ARGUMENTS];
  size_t count;
  int group;        // of operands: the next tensor argument's
  value *elements;  // of lists
  value_tensor *tensors;
  int64_t *dims;  // sizes and strides of tensors
  size_t n_elements, n_tensors;
} request;

// False: out of memory. To be released in any case.
bool request_init(request *r, const tenon_call *c);
// False: an argument cannot be passed, the last one in `schema`.
bool request_fill(request *r);
void request_deinit(request *r);

// Whether the attribute of that name is None, or there is none.
bool request_is_none(const tenon_call *c, const char *name);
// Whether the Scalar of that name is a complex number.
bool request_is_complex(const tenon_call *c, const char *name);

#endif  // LIBTORCH_REQUEST_H
