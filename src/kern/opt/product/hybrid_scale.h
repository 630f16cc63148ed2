// kern/opt/product/hybrid_scale.h - the scale of floats that a run turns into
// integers, and those integers, a register at a time (kern/product/hybrid.h).
#ifndef TENON_KERN_OPT_HYBRID_SCALE_H
#define TENON_KERN_OPT_HYBRID_SCALE_H

#include "kern/opt/vectors.h"
#include "kern/product/hybrid.h"

// What is no number is neither less nor more.
TENON_FLAT tenon_vf tenon_hybrid_v_less(tenon_vf least, tenon_vf x) {
#ifdef TENON_HAS_ENDS
  return tenon_vf_at_most(least, x);
#else
  return tenon_vf_pick(x < least, x, least);
#endif
}
TENON_FLAT tenon_vf tenon_hybrid_v_more(tenon_vf most, tenon_vf x) {
#ifdef TENON_HAS_ENDS
  return tenon_vf_at_least(most, x);
#else
  return tenon_vf_pick(x > most, x, most);
#endif
}

// The least and the largest of x and 0: in four chains, as each waits for the
// one before.
TENON_FLAT void tenon_hybrid_v_limits(const float *x, ptrdiff_t n, float *lo,
                                      float *hi) {
  float lanes_lo[TENON_VL], lanes_hi[TENON_VL];
  tenon_vf least[4], most[4];
  ptrdiff_t i = 0;
  TENON_UNROLL
  for (int k = 0; k < 4; ++k)
    least[k] = most[k] = (tenon_vf){0};
  for (; i + 4 * TENON_VL <= n; i += 4 * TENON_VL) {
    TENON_UNROLL
    for (int k = 0; k < 4; ++k) {
      const tenon_vf v = tenon_vf_load(x + i + k * TENON_VL);
      least[k] = tenon_hybrid_v_less(least[k], v);
      most[k] = tenon_hybrid_v_more(most[k], v);
    }
  }
  for (; i < n; i += TENON_VL) {
    const tenon_vf v = i + TENON_VL <= n ? tenon_vf_load(x + i)
                                         : tenon_vf_load_part(x + i, n - i);
    least[0] = tenon_hybrid_v_less(least[0], v);
    most[0] = tenon_hybrid_v_more(most[0], v);
  }
  TENON_UNROLL
  for (int k = 1; k < 4; ++k) {
    least[0] = tenon_hybrid_v_less(least[0], least[k]);
    most[0] = tenon_hybrid_v_more(most[0], most[k]);
  }
  tenon_vf_store(lanes_lo, least[0]);
  tenon_vf_store(lanes_hi, most[0]);
  *lo = *hi = 0.0f;
  for (int k = 0; k < TENON_VL; ++k) {
    if (lanes_lo[k] < *lo) *lo = lanes_lo[k];
    if (lanes_hi[k] > *hi) *hi = lanes_hi[k];
  }
}

typedef struct tenon_hybrid_v {
  tenon_hybrid h;
  tenon_vf by, lo, hi;  // of integers less the zero point
} tenon_hybrid_v;

TENON_FLAT tenon_hybrid_v tenon_hybrid_v_of(const float *x, ptrdiff_t n,
                                            bool asymmetric) {
  float least, most, inverse, lo = -127.0f, hi = 127.0f;
  tenon_hybrid_v v;
  tenon_hybrid_v_limits(x, n, &least, &most);
  if (asymmetric) {
    v.h = tenon_hybrid_of_limits(least, most, &inverse);
    lo = (float)(-128 - v.h.zero);
    hi = (float)(127 - v.h.zero);
  } else {
    v.h = tenon_hybrid_of_range(-least > most ? -least : most, &inverse);
  }
  v.by = tenon_vf_splat(inverse);
  v.lo = tenon_vf_splat(lo);
  v.hi = tenon_vf_splat(hi);
  return v;
}

// Integers less their zero point.
TENON_FLAT tenon_vi tenon_hybrid_v_round(const tenon_hybrid_v *v, tenon_vf x) {
  const tenon_vf zero = {0}, half = tenon_vf_splat(0.5f);
  x *= v->by;
  x = tenon_hybrid_v_more(v->lo, x);  // what is no number, too
  x = tenon_hybrid_v_less(v->hi, x);
  x += tenon_vf_pick(x < zero, -half, half);
  return __builtin_convertvector(x, tenon_vi);
}

#endif  // TENON_KERN_OPT_HYBRID_SCALE_H
