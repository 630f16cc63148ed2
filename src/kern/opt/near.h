// kern/opt/near.h - which integer a sum becomes, asked of floats first.
//
// With s the sum and m its factor, what kern/num/fixed.h computes is a floor of
// an exact number, since a floor of a quotient of a floor is the floor of the
// quotient:
//   once   s m + 1/2
//   twice  s m + 1/2 +- 2^-(right + 1), with the sign of s; right as there
// So the integer nearest to s m +- 2^-(right + 1), computed in floats, is the
// result, unless that lies next to a half. The sum as a float, the factor and
// the result of the one fused operation are each off by at most 2^-24 of it:
// together less than TENON_NEAR_HALF where the result is below 257, and what is
// larger is cut off at a byte. What is so close to a half is computed in
// integers: of 64 results about one in a hundred times.
#ifndef TENON_KERN_OPT_NEAR_H
#define TENON_KERN_OPT_NEAR_H

#include "kern/opt/vectors.h"

#ifdef TENON_HAS_NEAR
#define TENON_NEAR_HALF (1.0f / 16384)

// 2^e, for e from -126 to 127.
TENON_INLINE float tenon_near_power(int32_t e) {
  const uint32_t bits = (uint32_t)(e + 127) << 23;
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// The integer, or one next to it where `most`, which has the largest distance
// from an integer so far, is next to a half. The result has to be below 2^31.
TENON_FLAT tenon_vi tenon_near(const int once, tenon_vi sum, tenon_vf factor,
                               tenon_vf nudge, tenon_vf *most) {
  const tenon_vi sign = sum & INT32_MIN;
  const tenon_vf moved =
      once ? (tenon_vf){0} : (tenon_vf)(sign | (tenon_vi)nudge);
  const tenon_vf y = tenon_vf_fma(tenon_vf_of_vi(sum), factor, moved);
  const tenon_vi nearest = tenon_vi_nearest(y);
  *most = tenon_vf_further(*most, y, nearest);
  return nearest;
}
#endif

#ifdef TENON_HAS_NARROW4
#ifndef TENON_HAS_BYTE_LIMIT
TENON_FLAT tenon_vs tenon_vs_limit(tenon_vs x, tenon_vs lo, tenon_vs hi) {
  const tenon_vs more = x > lo;
  const tenon_vs y = (x & more) | (lo & ~more), less = y < hi;
  return (y & less) | (hi & ~less);
}
#endif
TENON_FLAT tenon_vs tenon_vs_splat(int32_t x) {
  return (tenon_vs)(((tenon_vu){0} + (uint32_t)(x & 0xff)) * 0x01010101);
}
#endif

#endif  // TENON_KERN_OPT_NEAR_H
