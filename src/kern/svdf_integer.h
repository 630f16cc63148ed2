// kern/svdf_integer.h - what is packed for core::svdf_integer.
#ifndef TENON_KERN_SVDF_INTEGER_H
#define TENON_KERN_SVDF_INTEGER_H

#include "kern/fixed16.h"
#include "tenon/tensor.h"

typedef struct tenon_svdf_integer_attrs {
  int64_t rank;  // filters of a result
} tenon_svdf_integer_attrs;

typedef struct tenon_svdf_integer {
  int32_t in_mult, in_shift;    // of what the filters make of x, to the state
  int32_t out_mult, out_shift;  // of what the time makes of it, to the result
  int32_t x_zero, y_zero;
} tenon_svdf_integer;

#endif  // TENON_KERN_SVDF_INTEGER_H
