// kern/opt/each/half_opt.h - a register of floats from and to memory, where
// they have 32 bits or 16: kern/num/half.h on vectors, with the same bits.
#ifndef TENON_KERN_OPT_HALF_OPT_H
#define TENON_KERN_OPT_HALF_OPT_H

#include "kern/opt/vectors.h"

typedef uint16_t tenon_vh __attribute__((vector_size(TENON_VB / 2)));

#define TENON_ELEMENT_f32 float
#define TENON_ELEMENT_f16 uint16_t
#define TENON_ELEMENT_bf16 uint16_t

TENON_FLAT tenon_vf tenon_vf_load_f32(const float *p) {
  return tenon_vf_load(p);
}
TENON_FLAT void tenon_vf_store_f32(float *p, tenon_vf x) {
  tenon_vf_store(p, x);
}

// 16 bits to a lane, and back.
TENON_FLAT tenon_vu tenon_vu_load_16(const uint16_t *p) {
  tenon_vh h;
  memcpy(&h, p, sizeof h);
  return __builtin_convertvector(h, tenon_vu);
}
TENON_FLAT void tenon_vu_store_16(uint16_t *p, tenon_vu x) {
  const tenon_vh h = __builtin_convertvector(x, tenon_vh);
  memcpy(p, &h, sizeof h);
}

TENON_FLAT tenon_vf tenon_vf_load_bf16(const uint16_t *p) {
  return (tenon_vf)(tenon_vu_load_16(p) << 16);
}
TENON_FLAT void tenon_vf_store_bf16(uint16_t *p, tenon_vf x) {
  const tenon_vu bits = (tenon_vu)x, high = bits >> 16;
  const tenon_vi rounded = (tenon_vi)((bits + 0x7fffu + (high & 1u)) >> 16);
  const tenon_vi quiet = (tenon_vi)(high | 0x40u);
  tenon_vu_store_16(p, (tenon_vu)tenon_vi_pick(x != x, quiet, rounded));
}

#ifndef TENON_HAS_F16
// What has no exponent is a small integer in units of 2^-24, and 2^-136 as the
// bits of a float.
TENON_FLAT tenon_vf tenon_vf_load_f16(const uint16_t *p) {
  const tenon_vu h = tenon_vu_load_16(p), sign = (h & 0x8000u) << 16;
  const tenon_vu rest = (h & 0x7fffu) << 13;
  const tenon_vi is_special =
      (tenon_vi)rest > tenon_vi_splat((0x7c00 << 13) - 1);
  const tenon_vf scaled = (tenon_vf)rest * 5.192296858534828e33f;  // 2^112
  const tenon_vi y = tenon_vi_pick(is_special, (tenon_vi)(rest | 0x7f800000u),
                                   (tenon_vi)scaled);
  return (tenon_vf)((tenon_vu)y | sign);
}

// Where the result has no exponent, the sum with 1/2 rounds to units of 2^-24.
TENON_FLAT void tenon_vf_store_f16(uint16_t *p, tenon_vf x) {
  const tenon_vu bits = (tenon_vu)x, sign = (bits >> 16) & 0x8000u;
  const tenon_vi rest = (tenon_vi)(bits & 0x7fffffffu);
  const tenon_vu odd = ((tenon_vu)rest >> 13) & 1u;
  const tenon_vi plain =
      (tenon_vi)(((tenon_vu)rest - (112u << 23) + 0xfffu + odd) >> 13);
  const tenon_vi tiny = tenon_vi_add((tenon_vi)((tenon_vf)rest + 0.5f),
                                     tenon_vi_splat(-0x3f000000));
  const tenon_vi quiet =
      (tenon_vi)((((tenon_vu)rest >> 13) & 0x3ffu) | 0x7e00u);
  const tenon_vi infinite = tenon_vi_splat(0x7c00);
  tenon_vi y = tenon_vi_pick(rest < tenon_vi_splat(0x38800000), tiny, plain);
  y = tenon_vi_pick(rest > tenon_vi_splat(0x477fefff), infinite, y);
  y = tenon_vi_pick(rest > tenon_vi_splat(0x7f800000), quiet, y);
  tenon_vu_store_16(p, (tenon_vu)y | sign);
}
#endif

#endif  // TENON_KERN_OPT_HALF_OPT_H
