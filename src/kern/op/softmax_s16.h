// kern/op/softmax_s16.h - the sum of a softmax of 16-bit numbers.
#ifndef TENON_KERN_SOFTMAX_S16_H
#define TENON_KERN_SOFTMAX_S16_H

#include "kern/loop/lookup.h"
#include "kern/num/newton.h"

// The reciprocal of a sum in units of 2^-15, to be shifted right.
TENON_INLINE int32_t tenon_softmax_s16_invert(const tenon_softmax_s16 *p,
                                              int32_t sum, int32_t *right) {
  int32_t zeros = tenon_zeros_s32(sum);
  int64_t scaled = ((int64_t)sum << (zeros - 1)) + (1 << 13);
  int32_t x = (int32_t)(scaled >> 14) - (1 << 15) - (1 << 16);
  *right = 31 - zeros;
  return tenon_lookup_at(&p->inverse, tenon_clamp_s32(x, -32768, 32767));
}

#endif  // TENON_KERN_SOFTMAX_S16_H
