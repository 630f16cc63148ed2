// schema.h - the arguments of a schema, in order, one after the other.
//
//   "aten::mul.Tensor(Tensor self, Tensor other) -> Tensor"
#ifndef LIBTORCH_SCHEMA_H
#define LIBTORCH_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

typedef enum argument_kind {
  ARGUMENT_OTHER,  // that nothing here has a form for
  ARGUMENT_TENSOR,
  ARGUMENT_INT,
  ARGUMENT_FLOAT,
  ARGUMENT_BOOL,
  ARGUMENT_STR,
  ARGUMENT_DTYPE,
  ARGUMENT_LAYOUT,
  ARGUMENT_MEMORY_FORMAT,
  ARGUMENT_DEVICE,
  ARGUMENT_NUMBER  // Scalar: an int, a float or a bool
} argument_kind;

typedef struct argument {
  argument_kind kind;
  bool is_list, is_optional, has_optional_elements, is_written;
  char name[64];
  char type[64];  // as it is written, without alias marks and the name
} argument;

// Name and overload ("" for none); false: longer than there is room for.
bool schema_name(const char *schema, char name[128], char overload[128]);
// Where the arguments begin, and the results.
const char *schema_arguments(const char *schema);
const char *schema_results(const char *schema);
// Reads the argument or result at *at and goes behind it; false: there is none
// left, or it cannot be read (*at is null then).
bool schema_next(const char **at, argument *out);

#endif  // LIBTORCH_SCHEMA_H
