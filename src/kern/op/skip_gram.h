// kern/op/skip_gram.h - attributes of core::skip_gram.
#ifndef TENON_KERN_SKIP_GRAM_H
#define TENON_KERN_SKIP_GRAM_H

#include "tenon/attr.h"
#include "tenon/tensor.h"

typedef struct tenon_skip_gram_attrs {
  int64_t n, skip;
  bool shorter;
} tenon_skip_gram_attrs;

enum { TENON_SKIP_GRAM_MOST = 64 };  // words of a group

#endif  // TENON_KERN_SKIP_GRAM_H
