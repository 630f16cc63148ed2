// kern/op/rescale.h - attributes and packed form of core::rescale.
#ifndef TENON_KERN_RESCALE_H
#define TENON_KERN_RESCALE_H

#include "kern/num/fixed.h"
#include "tenon/attr.h"

typedef struct tenon_rescale_attrs {
  double factor;  // not negative
} tenon_rescale_attrs;

typedef struct tenon_rescale {
  int32_t mult, shift;
} tenon_rescale;

#endif  // TENON_KERN_RESCALE_H
