// kern/isa/aarch64/dotprod.h - integer dot products of four signed bytes
// (SDOT), of Armv8.4 and many processors before.
#ifndef TENON_KERN_ISA_AARCH64_DOTPROD_H
#define TENON_KERN_ISA_AARCH64_DOTPROD_H

#ifndef __ARM_FEATURE_DOTPROD
#error "this kernel needs -march=armv8.2-a+dotprod"
#endif

#include "kern/isa/aarch64/neon.h"

#define TENON_DOT_GROUP 4
#define TENON_DOT_SIGNED 1

// acc + the four products of signed bytes in each lane.
TENON_FLAT tenon_vi tenon_vi_dot(tenon_vi acc, tenon_vi a, tenon_vi b) {
  return (tenon_vi)vdotq_s32((int32x4_t)acc, (int8x16_t)a, (int8x16_t)b);
}

// The same with one lane of a for all, a constant after inlining.
#define TENON_HAS_DOT_LANE 1
TENON_FLAT tenon_vi tenon_vi_dot_lane(tenon_vi acc, tenon_vi a, const int lane,
                                      tenon_vi b) {
  const int32x4_t sum = (int32x4_t)acc;
  const int8x16_t x = (int8x16_t)a, y = (int8x16_t)b;
  switch (lane) {
    case 0:
      return (tenon_vi)vdotq_laneq_s32(sum, y, x, 0);
    case 1:
      return (tenon_vi)vdotq_laneq_s32(sum, y, x, 1);
    case 2:
      return (tenon_vi)vdotq_laneq_s32(sum, y, x, 2);
    default:
      return (tenon_vi)vdotq_laneq_s32(sum, y, x, 3);
  }
}

#endif  // TENON_KERN_ISA_AARCH64_DOTPROD_H
