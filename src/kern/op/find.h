// kern/op/find.h - keys of core::find and their order.
//
// Packed: the numbers of the keys, s32, in ascending order of the keys, and of
// equal ones by number.
#ifndef TENON_KERN_FIND_H
#define TENON_KERN_FIND_H

#include "kern/loop/strings.h"

// Of s32, s64 and strings. Below 0: element i of x stands before key k.
TENON_INLINE int tenon_find_order(const tenon_tensor *x, ptrdiff_t i,
                                  const tenon_tensor *keys, ptrdiff_t k) {
  if (x->dtype == TENON_STR)
    return tenon_string_order(((const tenon_string *)x->data)[i],
                              ((const tenon_string *)keys->data)[k]);
  const int64_t a = x->dtype == TENON_S64 ? ((const int64_t *)x->data)[i]
                                          : ((const int32_t *)x->data)[i];
  const int64_t b = x->dtype == TENON_S64 ? ((const int64_t *)keys->data)[k]
                                          : ((const int32_t *)keys->data)[k];
  return (a > b) - (a < b);
}

#endif  // TENON_KERN_FIND_H
