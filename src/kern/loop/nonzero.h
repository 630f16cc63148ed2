// nonzero.h - the indices of elements that are not zero.
#ifndef TENON_KERN_NONZERO_H
#define TENON_KERN_NONZERO_H

#include "kern/loop/plain.h"

// How many there are; with `to`, a row of indices for each, in the operand's
// order.
#define TENON_NONZERO(t)                                                       \
  TENON_INLINE int64_t tenon_nonzero_##t(const tenon_tensor *x, int64_t *to) { \
    const ptrdiff_t count = (ptrdiff_t)tenon_count(x);                         \
    int64_t n = 0;                                                             \
    for (ptrdiff_t i = 0; i < count; ++i) {                                    \
      if (tenon_load_##t(x->data, i) == 0) continue;                           \
      ++n;                                                                     \
      if (!to) continue;                                                       \
      ptrdiff_t rest = i;                                                      \
      for (int32_t d = x->rank - 1; d >= 0; rest /= x->dims[d], --d)           \
        to[d] = (int64_t)(rest % x->dims[d]);                                  \
      to += x->rank;                                                           \
    }                                                                          \
    return n;                                                                  \
  }
TENON_PLAIN_ALL(TENON_NONZERO)

#endif  // TENON_KERN_NONZERO_H
