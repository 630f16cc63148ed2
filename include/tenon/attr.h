// tenon/attr.h - values of attributes as kernels see them. Freestanding C99, so
// that an attribute struct compiles in emitted C as well.
//
// A member of an attribute struct has one of these types, or bool, int64_t,
// double, tenon_dtype, const char *. None of an optional argument is: `has`
// false, kind 0, dtype 0, or a null pointer (an empty list has a pointer).
// All of these are frozen within an ABI major version.
#ifndef TENON_ATTR_H
#define TENON_ATTR_H

#include "tenon/base.h"

typedef enum tenon_kind {  // numbers are never reused
  TENON_KIND_BOOL = 1,
  TENON_KIND_INT,    // int, SymInt
  TENON_KIND_FLOAT,  // float, SymFloat
  TENON_KIND_STR,    // str, and Device, Layout, MemoryFormat by their names;
                     // in a tenon_arg also a complex Scalar, as "0.5-2j"
  TENON_KIND_INTS,   // int[], int[2], SymInt[]; null data: None
  TENON_KIND_FLOATS,
  TENON_KIND_DTYPE,   // ScalarType
  TENON_KIND_SCALAR,  // Scalar: int, float or bool as the file has it
  TENON_KIND_BOOLS,
  TENON_KIND_SCALARS,
  TENON_KIND_OPT_BOOL,   // bool?
  TENON_KIND_OPT_INT,    // int?, SymInt?
  TENON_KIND_OPT_FLOAT,  // float?
  TENON_KIND_DIMS,  // sizes with symbols; only in a tenon_arg of a lowering
  TENON_KIND_STRS   // str[]; null data: None
} tenon_kind;

typedef struct tenon_ints {
  const int64_t *data;
  size_t count;
} tenon_ints;
typedef struct tenon_floats {
  const double *data;
  size_t count;
} tenon_floats;
typedef struct tenon_bools {
  const bool *data;
  size_t count;
} tenon_bools;
typedef struct tenon_strs {  // no element is null
  const char *const *data;
  size_t count;
} tenon_strs;
typedef struct tenon_opt_bool {
  bool value, has;
} tenon_opt_bool;
typedef struct tenon_opt_int {
  int64_t value;
  bool has;
} tenon_opt_int;
typedef struct tenon_opt_float {
  double value;
  bool has;
} tenon_opt_float;

// A Scalar keeps the type it was written with: 2 and 2.0 promote differently.
typedef struct tenon_scalar {
  uint32_t kind;  // TENON_KIND_INT, _FLOAT or _BOOL (in `i`); 0: None
  union {
    int64_t i;
    double f;
  } as;
} tenon_scalar;
typedef struct tenon_scalars {
  const tenon_scalar *data;
  size_t count;
} tenon_scalars;
typedef struct tenon_dims {
  const struct tenon_dim *data;
  size_t count;
} tenon_dims;

// One attribute with its name. An op that declares no `fields` gets an array of
// these instead of a struct, in schema order, ended by a null name: that is how
// one kernel serves operators whose schema it learns at run time.
typedef struct tenon_arg {
  const char *name;
  uint32_t kind;  // tenon_kind of the value; 0: None
  union {
    int64_t i;  // also bool and ScalarType
    double f;
    const char *s;
    tenon_ints ints;
    tenon_floats floats;
    tenon_bools bools;
    tenon_scalar scalar;
    tenon_scalars scalars;
    tenon_dims dims;
    tenon_strs strs;
  } as;
} tenon_arg;

// In infer and lower, an int that is a symbol reads as this, in the struct and
// in lists; its size is asked for by name. Kernels only ever see numbers.
#define TENON_UNKNOWN INT64_MIN

#endif  // TENON_ATTR_H
