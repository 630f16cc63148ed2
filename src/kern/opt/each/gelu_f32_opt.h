// kern/opt/each/gelu_f32_opt.h - kern/num/gelu.h on vectors: the same bits.
#ifndef TENON_KERN_OPT_GELU_F32_OPT_H
#define TENON_KERN_OPT_GELU_F32_OPT_H

#include "kern/op/activation.h"
#include "kern/opt/each/real_f32_opt.h"

TENON_FLAT tenon_vf tenon_vf_gelu(tenon_vf x) {
  const tenon_vf magic = tenon_vf_magic(), zero = {0};
  const tenon_vf t =
      tenon_vf_clamp(tenon_vf_abs(x), zero, tenon_vf_splat(15.0f));
  const tenon_vf half = 0.5f * t, h = half * t;
  const tenon_vf sum =
      tenon_vf_fma(h, tenon_vf_splat(-1.44269504088896341f), magic);
  const tenon_vf n = sum - magic;
  const tenon_vf low = tenon_vf_fma(n, tenon_vf_splat(2.12194440e-4f),
                                    -tenon_vf_fma(half, t, -h));
  const tenon_vf m = tenon_vf_expm1_near(
      tenon_vf_fma(n, tenon_vf_splat(-0.693359375f), -h) + low);
  const tenon_vf d = t + 4.0f, u = t / d;
  const tenon_vf miss = tenon_vf_fma(-u, d, t) - u * (t - (d - 4.0f));
  const tenon_vf s = u - TENON_GELU_MIDDLE;
  const tenon_vf q = TENON_POLY_GELU(tenon_vf_fma, tenon_vf_splat, s);
  const tenon_vf r = tenon_vf_fma(q, s, tenon_vf_splat(TENON_GELU_FIRST));
  const tenon_vf b = u * r;
  tenon_vf b_low = tenon_vf_fma(u, tenon_vf_fma(q, s, TENON_GELU_FIRST - r),
                                tenon_vf_fma(u, r, -b));
  b_low = tenon_vf_fma(miss, TENON_GELU_SLOPE(tenon_vf_fma, tenon_vf_splat, u),
                       b_low);
  const tenon_vf y =
      tenon_vf_scale(b + tenon_vf_fma(b, m, tenon_vf_fma(b_low, m, b_low)),
                     tenon_vf_whole(sum));
  return tenon_vf_pick((tenon_vi)x < 0, -y, x - y);
}

#endif  // TENON_KERN_OPT_GELU_F32_OPT_H
