// core/strided.h - which elements of memory a window of sizes and strides has.
//
// Numbers only, in elements. What cannot be found out in bounded time counts as
// overlapping, and so does what goes beyond 64 bits.
#ifndef TENON_CORE_STRIDED_H
#define TENON_CORE_STRIDED_H

#include <stdbool.h>
#include <stdint.h>

#include "tenon/base.h"

// Elements at offset + the sum of index * stride, each index below its size.
typedef struct tenon_strided {
  int64_t offset;
  const int64_t *size, *stride;
  int rank;  // at most TENON_MAX_RANK
} tenon_strided;

// Whether two of its indices may lead to one element.
bool tenon_strided_repeats(const tenon_strided *w);
// Whether two windows on the same memory may have an element in common.
bool tenon_strided_shares(const tenon_strided *a, const tenon_strided *b);

// What a dimension adds to the elements that a tensor reaches in front of its
// first one and behind it; its size is not 0, and the product fits.
TENON_INLINE void tenon_strided_widen(int64_t size, int64_t stride,
                                      int64_t *low, int64_t *high) {
  const int64_t by = (size - 1) * stride;
  if (by < 0)
    *low += by;
  else
    *high += by;
}

#endif  // TENON_CORE_STRIDED_H
