// kern/isa/aarch64/neon.h - 128-bit registers of any 64-bit Arm, and what
// vector types cannot say, but for the integer dot product: neonpairs.h,
// dotprod.h and i8mm.h have one each.
//
// There is no clamp of floats: FMAX and FMIN order the zeros and give another
// NaN, while comparing and choosing gives what the reference kernels give. A
// factor that is the same for a register is an element of another one there
// (FMLA by element), which compilers make of tenon_vf_splat.
#ifndef TENON_KERN_ISA_AARCH64_NEON_H
#define TENON_KERN_ISA_AARCH64_NEON_H

#include "kern/isa/aarch64/width_neon.h"
//
#include <arm_neon.h>

#include "kern/opt/vectors.h"

// There are tenon_vi_mul_even, tenon_vi_zip, and shifts by lane.
#define TENON_HAS_WIDE_LANES 1

#define TENON_HAS_FMA 1
#define TENON_HAS_BY_LANE 1
TENON_FLAT tenon_vf tenon_vf_fma(tenon_vf a, tenon_vf b, tenon_vf c) {
  return (tenon_vf)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}

// table[i % 16] for each lane i, of 32 bits each.
#define TENON_HAS_TABLE 1
TENON_FLAT tenon_vf tenon_vf_table(const void *table, tenon_vi i) {
  const uint8_t *p = (const uint8_t *)table;
  const uint8x16x4_t all = {
      {vld1q_u8(p), vld1q_u8(p + 16), vld1q_u8(p + 32), vld1q_u8(p + 48)}};
  // The four bytes of each lane.
  const tenon_vu at = ((tenon_vu)i & 15u) * 0x04040404u + 0x03020100u;
  return (tenon_vf)vqtbl4q_u8(all, (uint8x16_t)at);
}

// The signed 64-bit products of lanes 0 and 2.
TENON_FLAT tenon_vq tenon_vi_mul_even(tenon_vi a, tenon_vi b) {
  return (tenon_vq)vmull_s32(vmovn_s64((int64x2_t)a), vmovn_s64((int64x2_t)b));
}

// A byte to half a lane, from so many bytes at p.
TENON_FLAT tenon_vi tenon_vi_widen2(const int8_t *p) {
  return (tenon_vi)vmovl_s8(vld1_s8(p));
}

// A byte to a lane.
TENON_FLAT tenon_vi tenon_vi_widen(const int8_t *p) {
  int32_t bytes;
  memcpy(&bytes, p, 4);
  const int16x8_t wide = vmovl_s8(vreinterpret_s8_s32(vdup_n_s32(bytes)));
  return (tenon_vi)vmovl_s16(vget_low_s16(wide));
}

// Even lanes of a, odd lanes of b.
TENON_FLAT tenon_vi tenon_vi_zip(tenon_vi a, tenon_vi b) {
  const tenon_vi odd = (tenon_vi)(~(tenon_vq){0} << 32);
  return (a & ~odd) | (b & odd);  // one instruction
}

// Products of four 16-bit numbers, added to lanes: of the lower or the higher
// half of registers that tenon_vi_join makes, of the lower halves of lanes.
#define TENON_HAS_MLA 1
TENON_FLAT tenon_vi tenon_vi_join(tenon_vi a, tenon_vi b) {
  return (tenon_vi)vuzp1q_s16((int16x8_t)a, (int16x8_t)b);
}
TENON_FLAT tenon_vi tenon_vi_mla_low(tenon_vi acc, tenon_vi a, tenon_vi b) {
  return (tenon_vi)vmlal_s16((int32x4_t)acc, vget_low_s16((int16x8_t)a),
                             vget_low_s16((int16x8_t)b));
}
TENON_FLAT tenon_vi tenon_vi_mla_high(tenon_vi acc, tenon_vi a, tenon_vi b) {
  return (tenon_vi)vmlal_high_s16((int32x4_t)acc, (int16x8_t)a, (int16x8_t)b);
}

// Lanes saturated to 8 bits: four of a, then of b, c and d.
#define TENON_HAS_NARROW4 1
TENON_FLAT tenon_vi tenon_vi_narrow4(tenon_vi a, tenon_vi b, tenon_vi c,
                                     tenon_vi d) {
  const int16x8_t low = vqmovn_high_s32(vqmovn_s32((int32x4_t)a), (int32x4_t)b);
  const int16x8_t high =
      vqmovn_high_s32(vqmovn_s32((int32x4_t)c), (int32x4_t)d);
  return (tenon_vi)vqmovn_high_s16(vqmovn_s16(low), high);
}

// Numbers limited to what lies between.
#define TENON_HAS_LIMIT 1
TENON_FLAT tenon_vi tenon_vi_limit(tenon_vi x, tenon_vi lo, tenon_vi hi) {
  return (tenon_vi)vminq_s32(vmaxq_s32((int32x4_t)x, (int32x4_t)lo),
                             (int32x4_t)hi);
}
#define TENON_HAS_BYTE_LIMIT 1
TENON_FLAT tenon_vs tenon_vs_limit(tenon_vs x, tenon_vs lo, tenon_vs hi) {
  return (tenon_vs)vminq_s8(vmaxq_s8((int8x16_t)x, (int8x16_t)lo),
                            (int8x16_t)hi);
}

// Floats of integers, and back: to the nearest, ties to even.
#define TENON_HAS_NEAR 1
TENON_FLAT tenon_vf tenon_vf_of_vi(tenon_vi x) {
  return (tenon_vf)vcvtq_f32_s32((int32x4_t)x);
}
TENON_FLAT tenon_vi tenon_vi_nearest(tenon_vf x) {
  return (tenon_vi)vcvtnq_s32_f32((float32x4_t)x);
}
// The larger of `most` and of how far x is from the nearest integer.
TENON_FLAT tenon_vf tenon_vf_further(tenon_vf most, tenon_vf x,
                                     tenon_vi nearest) {
  const float32x4_t rest =
      vabdq_f32((float32x4_t)x, (float32x4_t)tenon_vf_of_vi(nearest));
  return (tenon_vf)vmaxq_f32((float32x4_t)most, rest);
}
// Whether any lane is above.
TENON_FLAT bool tenon_vf_any_above(tenon_vf x, float least) {
  return vmaxvq_f32((float32x4_t)x) > least;
}
// Whether a lane is -1, where others are 0.
#define TENON_HAS_ANY 1
TENON_FLAT bool tenon_vi_any(tenon_vi mask) {
  return vmaxvq_u32((uint32x4_t)mask) != 0;
}

#define TENON_HAS_SQRT 1
TENON_FLAT tenon_vf tenon_vf_sqrt(tenon_vf x) {
  return (tenon_vf)vsqrtq_f32((float32x4_t)x);
}

#endif  // TENON_KERN_ISA_AARCH64_NEON_H
