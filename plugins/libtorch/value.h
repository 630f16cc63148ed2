// value.h - arguments and results of one call of torch, between call.c, which
// knows Tenon, and what makes the call: stable.c, or boxed.cc, which is built
// apart against torch's headers. C11 and C++17; neither includes Tenon's.
//
// Numbers of types, layouts and memory formats are torch's. What a call points
// to is the caller's; what results point to lies in `held`.
#ifndef LIBTORCH_VALUE_H
#define LIBTORCH_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum value_kind {
  VALUE_NONE,
  VALUE_TENSOR,
  VALUE_INT,  // also of types, layouts and memory formats
  VALUE_FLOAT,
  VALUE_BOOL,     // in i
  VALUE_COMPLEX,  // in c
  VALUE_NUMBER,   // of a list of Scalars: each element is one of the four
  VALUE_STR,
  VALUE_DEVICE  // the processor
} value_kind;

// On the processor. Of an argument: lent, without a copy.
typedef struct value_tensor {
  void *data;  // of element 0, ...; null: there are no elements
  const int64_t *sizes, *strides;  // in elements, `rank` each
  int64_t rank;
  int32_t dtype;
} value_tensor;

typedef struct value {
  int32_t kind;  // of a list: of its elements
  bool is_list;
  bool may_lack;    // a list in which None may stand
  bool is_wrapped;  // a number where a tensor is taken: it ranks below tensors
  size_t count;     // of a list
  union {
    int64_t i;
    double f;
    double c[2];  // real, imaginary
    const char *s;
    const value_tensor *tensor;
    const struct value *list;
  } as;
} value;

typedef struct value_call {
  const char *name, *overload;  // "aten::mul", "Scalar"
  const char *schema;           // whole, as Tenon has it
  const value *arguments;       // one per argument of the schema, in its order
  const char *const *names;     // theirs
  size_t n_arguments;
  value *results;  // room for n_results, one per result of the schema
  size_t n_results;
  void *held;   // by a call that succeeded, until `release`
  char *error;  // of one that did not: a text that ends with 0
  size_t error_size;
} value_call;

// One way to call torch. Nothing is thrown through it.
typedef struct value_caller {
  bool (*call)(value_call *call);  // false: see `error`
  void (*release)(void *held);
  uint64_t torch;  // the version whose headers it was built with; 0: none
} value_caller;

// What boxed.cc exports: a `const value_caller *(void)`. Its name is another
// when the structs above change.
#define VALUE_BOXED_ENTRY tenon_libtorch_boxed_2

#endif  // LIBTORCH_VALUE_H
