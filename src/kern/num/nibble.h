// kern/num/nibble.h - integers of 4 bits, two in a byte.
#ifndef TENON_KERN_NIBBLE_H
#define TENON_KERN_NIBBLE_H

#include "tenon/tensor.h"

// Integer i; the low half of a byte is the first.
TENON_INLINE int32_t tenon_nibble(const uint8_t *w, ptrdiff_t i) {
  const int32_t half = w[i / 2] >> (i % 2 ? 4 : 0) & 15;
  return half < 8 ? half : half - 16;
}

#endif  // TENON_KERN_NIBBLE_H
