// kern/opt/each/whole_f32_opt.h - square roots, and the integers next to a
// float, on vectors. IEEE 754 says what all of them are, so they have the bits
// of the functions of <math.h>.
#ifndef TENON_KERN_OPT_WHOLE_F32_OPT_H
#define TENON_KERN_OPT_WHOLE_F32_OPT_H

#include <math.h>

#include "kern/opt/vectors.h"

#ifndef TENON_HAS_SQRT
TENON_FLAT tenon_vf tenon_vf_sqrt(tenon_vf x) {
  float lanes[TENON_VL];
  tenon_vf_store(lanes, x);
  for (int k = 0; k < TENON_VL; ++k)
    lanes[k] = sqrtf(lanes[k]);
  return tenon_vf_load(lanes);
}
#endif
TENON_FLAT tenon_vf tenon_vf_rsqrt(tenon_vf x) {
  return 1.0f / tenon_vf_sqrt(x);
}

// y, which is near x, with the sign of x; x where it has no fraction or is no
// number.
TENON_FLAT tenon_vf tenon_vf_whole_of(tenon_vf x, tenon_vf y) {
  const tenon_vi sign = tenon_vi_splat(INT32_MIN);
  const tenon_vf a = (tenon_vf)((tenon_vi)x & ~sign);
  y = (tenon_vf)(((tenon_vi)y & ~sign) | ((tenon_vi)x & sign));
  return tenon_vf_pick(a < tenon_vf_splat(8388608.0f), y, x);
}
// As tenon_round_f32 of kern/num/round.h.
TENON_FLAT tenon_vf tenon_vf_round(tenon_vf x) {
  const tenon_vf a = (tenon_vf)((tenon_vi)x & tenon_vi_splat(INT32_MAX));
  return tenon_vf_whole_of(x, (a + 8388608.0f) - 8388608.0f);
}
TENON_FLAT tenon_vf tenon_vf_floor(tenon_vf x) {
  const tenon_vf y = tenon_vf_round(x);
  return tenon_vf_whole_of(x, tenon_vf_pick(y > x, y - 1.0f, y));
}
TENON_FLAT tenon_vf tenon_vf_ceil(tenon_vf x) {
  const tenon_vf y = tenon_vf_round(x);
  return tenon_vf_whole_of(x, tenon_vf_pick(y < x, y + 1.0f, y));
}
TENON_FLAT tenon_vf tenon_vf_trunc(tenon_vf x) {
  return tenon_vf_pick(x < (tenon_vf){0}, tenon_vf_ceil(x), tenon_vf_floor(x));
}

#endif  // TENON_KERN_OPT_WHOLE_F32_OPT_H
