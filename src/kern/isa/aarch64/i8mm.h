// kern/isa/aarch64/i8mm.h - products of matrices of signed bytes (SMMLA), of
// Armv8.6: two rows of eight by two rows of eight. What is not one takes
// dotprod.h, which every such processor has.
#ifndef TENON_KERN_ISA_AARCH64_I8MM_H
#define TENON_KERN_ISA_AARCH64_I8MM_H

#ifndef __ARM_FEATURE_MATMUL_INT8
#error "this kernel needs -march=armv8.2-a+dotprod+i8mm"
#endif

#include "kern/isa/aarch64/dotprod.h"

// Products that a step of a tile adds up (kern/opt/tiles/tile_s8_sum.h).
#define TENON_TILE_GROUP 8

// Lanes are sums of row 0 with rows 0 and 1 of b, then of row 1.
TENON_FLAT tenon_vi tenon_vi_dot_matrix(tenon_vi acc, tenon_vi a, tenon_vi b) {
  return (tenon_vi)vmmlaq_s32((int32x4_t)acc, (int8x16_t)a, (int8x16_t)b);
}
// Eight bytes each.
TENON_FLAT tenon_vi tenon_vi_two(const char *p, const char *q) {
  uint64_t two[2];
  memcpy(&two[0], p, 8);
  memcpy(&two[1], q, 8);
  return (tenon_vi)(tenon_vq){two[0], two[1]};
}
// The lower halves, and the higher ones.
TENON_FLAT tenon_vi tenon_vi_lows(tenon_vi a, tenon_vi b) {
  return (tenon_vi)vzip1q_s64((int64x2_t)a, (int64x2_t)b);
}
TENON_FLAT tenon_vi tenon_vi_highs(tenon_vi a, tenon_vi b) {
  return (tenon_vi)vzip2q_s64((int64x2_t)a, (int64x2_t)b);
}

#endif  // TENON_KERN_ISA_AARCH64_I8MM_H
