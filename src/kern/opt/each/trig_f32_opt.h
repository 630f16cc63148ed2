// kern/opt/each/trig_f32_opt.h - kern/num/trig.h on vectors: the same bits.
// Arguments that are far from zero, or no numbers, are rare, and go through
// trig.h one by one.
#ifndef TENON_KERN_OPT_TRIG_F32_OPT_H
#define TENON_KERN_OPT_TRIG_F32_OPT_H

#include "kern/num/trig.h"
#include "kern/opt/each/real_f32_opt.h"

// Not inlined, and from memory, so that the others keep their registers.
TENON_APART void tenon_sin_far(const float *x, float *y, int32_t quarter) {
  for (int i = 0; i < TENON_VL; ++i)
    if (!(x[i] > -TENON_TRIG_NEAR && x[i] < TENON_TRIG_NEAR))
      y[i] = tenon_sin_turned_f32(x[i], quarter);
}

TENON_FLAT tenon_vf tenon_vf_sin_turned(tenon_vf x, const int32_t quarter) {
  const tenon_vf magic = tenon_vf_magic();
  const tenon_vi is_far = ~(tenon_vf_abs(x) < tenon_vf_splat(TENON_TRIG_NEAR));
  const tenon_vf sum = x * 0.63661977236758134f + magic, n = sum - magic;
  tenon_vf w = n * TENON_HALF_PI_2;
  const tenon_vf t = x - n * TENON_HALF_PI_1, u = t - w;
  tenon_vf v = t - u;
  tenon_vf lost = (t - (u + v)) + (v - w);
  w = n * TENON_HALF_PI_3;
  const tenon_vf r = u - w;
  v = u - r;
  lost += (u - (r + v)) + (v - w);
  const tenon_vf low = lost - n * TENON_HALF_PI_4, z = r * r;
  const tenon_vf sine = r + (low + r * z * TENON_POLY_SIN(z));
  const tenon_vf half = 0.5f * z, c = 1.0f - half;
  const tenon_vf cosine =
      c + (((1.0f - c) - half) + (z * z * TENON_POLY_COS(z) - r * low));
  const tenon_vi turns =
      tenon_vi_add(tenon_vf_whole(sum), tenon_vi_splat(quarter));
  const tenon_vi is_odd = (tenon_vi)(-((tenon_vu)turns & 1u));
  tenon_vf y = tenon_vf_pick(is_odd, cosine, sine);
  y = (tenon_vf)((tenon_vi)y ^ tenon_vi_shift(turns & 2, 30));
  if (tenon_vi_any(is_far)) {
    float from[TENON_VL], to[TENON_VL];
    tenon_vf_store(from, x);
    tenon_vf_store(to, y);
    tenon_sin_far(from, to, quarter);
    y = tenon_vf_load(to);
  }
  return y;
}

TENON_FLAT tenon_vf tenon_vf_sin(tenon_vf x) {
  return tenon_vf_pick(x == (tenon_vf){0}, x, tenon_vf_sin_turned(x, 0));
}
TENON_FLAT tenon_vf tenon_vf_cos(tenon_vf x) {
  return tenon_vf_sin_turned(x, 1);
}

#endif  // TENON_KERN_OPT_TRIG_F32_OPT_H
