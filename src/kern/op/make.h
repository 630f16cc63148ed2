// kern/op/make.h - attributes of core::empty.
#ifndef TENON_KERN_MAKE_H
#define TENON_KERN_MAKE_H

#include "tenon/attr.h"
#include "tenon/tensor.h"

typedef struct tenon_empty_attrs {
  tenon_ints size;
  tenon_dtype dtype;
} tenon_empty_attrs;

#endif  // TENON_KERN_MAKE_H
