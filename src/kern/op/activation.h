// kern/op/activation.h - attributes of core::gelu and core::leaky_relu.
#ifndef TENON_KERN_ACTIVATION_H
#define TENON_KERN_ACTIVATION_H

#include "tenon/attr.h"

typedef struct tenon_gelu_attrs {
  bool approximate;  // by tanh
} tenon_gelu_attrs;

typedef struct tenon_leaky_relu_attrs {
  double alpha;
} tenon_leaky_relu_attrs;

// Packed for 16 bits: factors of what is not below zero, and of what is;
// `is_below`: the second is below zero itself.
typedef struct tenon_leaky_s16 {
  int32_t mult[2], shift[2];
  int32_t is_below;
} tenon_leaky_s16;

#endif  // TENON_KERN_ACTIVATION_H
