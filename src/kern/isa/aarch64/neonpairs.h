// kern/isa/aarch64/neonpairs.h - integer dot products with NEON alone: products
// of pairs, which are added side by side.
#ifndef TENON_KERN_ISA_AARCH64_NEONPAIRS_H
#define TENON_KERN_ISA_AARCH64_NEONPAIRS_H

#include "kern/isa/aarch64/neonwords.h"

// What tiles take (kern/opt/tiles/tile_s8_sum.h): pairs of bytes, whose
// products 16 bits hold. Only the lower half of a register is used.
#define TENON_HAS_TILE_DOT 1
TENON_FLAT tenon_vi tenon_wgt_load(const int8_t *p) {
  const int8x8_t x = vld1_s8(p);
  return (tenon_vi)vcombine_s8(x, x);
}
TENON_FLAT tenon_vi tenon_act_splat(const char *p) {
  int16_t pair;
  memcpy(&pair, p, 2);
  return (tenon_vi)vdupq_n_s16(pair);
}
TENON_FLAT tenon_vi tenon_vi_tile_dot(tenon_vi acc, tenon_vi a, tenon_vi b) {
  const int16x8_t products =
      vmull_s8(vget_low_s8((int8x16_t)a), vget_low_s8((int8x16_t)b));
  return (tenon_vi)vpadalq_s16((int32x4_t)acc, products);
}

#endif  // TENON_KERN_ISA_AARCH64_NEONPAIRS_H
