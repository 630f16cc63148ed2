// kern/activation.h - attributes of core::gelu and core::leaky_relu.
#ifndef TENON_KERN_ACTIVATION_H
#define TENON_KERN_ACTIVATION_H

#include "tenon/attr.h"

typedef struct tenon_gelu_attrs {
  bool approximate;  // by tanh
} tenon_gelu_attrs;

typedef struct tenon_leaky_relu_attrs {
  double alpha;
} tenon_leaky_relu_attrs;

#endif  // TENON_KERN_ACTIVATION_H
