// kern/opt/each/hard_swish_f32_opt.h - x min(max(x + 3, 0), 6) / 6 on vectors.
//
// The quotient by 6 is a sum of two products, which takes less than a division:
// t / 6 is t SIXTH, which is a float below a sixth, and t SIXTH_REST, what that
// lacks. As a quotient by 3 of a float it is 0, 1/3 or 2/3 of the last place
// off another, so that the sum rounds as it does; down to where the second
// product is not rounded to multiples of 2^-149. The first is the smaller one,
// so that infinities are none of two signs. What is nearer to zero is rare, and
// divided.
#ifndef TENON_KERN_OPT_HARD_SWISH_F32_OPT_H
#define TENON_KERN_OPT_HARD_SWISH_F32_OPT_H

#include "kern/opt/each/real_f32_opt.h"

#define TENON_HARD_SWISH_SIXTH 0.1666666567325592f
#define TENON_HARD_SWISH_SIXTH_REST 9.934107462565104e-09f
#define TENON_HARD_SWISH_NEAR 7.8886090522101181e-31f  // 2^-100

TENON_FLAT tenon_vf tenon_vf_hard_swish_far(tenon_vf x, tenon_vf y) {
  (void)y;
  return x * tenon_vf_clamp(x + 3.0f, (tenon_vf){0}, tenon_vf_splat(6.0f)) /
         6.0f;
}

enum { tenon_vf_hard_swish_chains = TENON_VB == 64 ? 6 : 4 };

TENON_FLAT bool tenon_vf_hard_swish(const tenon_vf *x, tenon_vf *y,
                                    const int n) {
#ifdef TENON_HAS_FMA
  const tenon_vf near = tenon_vf_splat(TENON_HARD_SWISH_NEAR);
  tenon_vf least = near;
  TENON_UNROLL
  for (int k = 0; k < n; ++k) {
#ifdef TENON_HAS_RANGE
    const tenon_vf part = tenon_vf_within(x[k], tenon_vf_splat(3.0f));
    const tenon_vf t = x[k] * (part + 3.0f);
    least = tenon_vf_less(part, least);
#else
    const tenon_vf t =
        x[k] * tenon_vf_clamp(x[k] + 3.0f, (tenon_vf){0}, tenon_vf_splat(6.0f));
    least = tenon_vf_at_most(least, tenon_vf_abs(x[k]));
#endif
    y[k] = tenon_vf_fma(t, tenon_vf_splat(TENON_HARD_SWISH_SIXTH),
                        t * TENON_HARD_SWISH_SIXTH_REST);
  }
  // As integers, of which one is below the other.
  return tenon_vi_has(tenon_vi_add((tenon_vi)least, -(tenon_vi)near),
                      tenon_vi_splat(INT32_MIN));
#else
  TENON_UNROLL
  for (int k = 0; k < n; ++k)
    y[k] = tenon_vf_hard_swish_far(x[k], x[k]);
  return false;
#endif
}

#endif  // TENON_KERN_OPT_HARD_SWISH_F32_OPT_H
