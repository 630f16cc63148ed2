// kern/isa/aarch64/neonwords.h - integer dot products with NEON alone: pairs of
// 16-bit numbers.
#ifndef TENON_KERN_ISA_AARCH64_NEONWORDS_H
#define TENON_KERN_ISA_AARCH64_NEONWORDS_H

#include "kern/isa/aarch64/neon.h"

#define TENON_DOT_GROUP 2

// acc + the two products of 16-bit numbers in each lane.
TENON_FLAT tenon_vi tenon_vi_dot(tenon_vi acc, tenon_vi a, tenon_vi b) {
  const int16x8_t x = (int16x8_t)a, y = (int16x8_t)b;
  const int32x4_t low = vmull_s16(vget_low_s16(x), vget_low_s16(y));
  return (tenon_vi)vaddq_s32((int32x4_t)acc,
                             vpaddq_s32(low, vmull_high_s16(x, y)));
}

#endif  // TENON_KERN_ISA_AARCH64_NEONWORDS_H
