// kern/opt/each/silu_f32_opt.h - silu of kern/num/real.h on vectors: the same
// bits. Arguments far from zero are rare, and go a second way.
#ifndef TENON_KERN_OPT_SILU_F32_OPT_H
#define TENON_KERN_OPT_SILU_F32_OPT_H

#include "kern/opt/each/real_f32_opt.h"

TENON_FLAT tenon_vf tenon_vf_silu_sum(tenon_vf x) {
  return tenon_vf_fma(x, tenon_vf_splat(-1.44269504088896341f),
                      tenon_vf_splat(TENON_SILU_MAGIC));
}

// The bits that a sum does not share with TENON_EXP_MAGIC where there are too
// many sixteenths.
TENON_FLAT tenon_vi tenon_vf_silu_beyond(void) {
  return tenon_vi_splat(-(int32_t)TENON_SILU_STEPS);
}

// y, but where a lane is far.
TENON_FLAT tenon_vf tenon_vf_silu_far(tenon_vf x, tenon_vf y) {
  const tenon_vf one = tenon_vf_splat(9.094947017729282e-13f);
  const tenon_vf magic = tenon_vf_splat(TENON_EXP_MAGIC - 40.0f);
  const tenon_vf most = tenon_vf_splat(TENON_EXP_MAGIC - 40.0f + 167.9375f);
  const tenon_vi steps = (tenon_vi)tenon_vf_silu_sum(x) ^ TENON_EXP_MAGIC_BITS;
  const tenon_vf a = tenon_vf_at_most(x, tenon_vf_splat(40.0f));
  const tenon_vf sum = tenon_vf_at_most(
      tenon_vf_fma(a, tenon_vf_splat(-1.44269504088896341f), magic), most);
  const tenon_vf n = sum - magic;
  const tenon_vf r =
      tenon_vf_fma(n, tenon_vf_splat(TENON_LN2_REST),
                   tenon_vf_fma(n, tenon_vf_splat(-TENON_LN2), -a));
  const tenon_vf q = TENON_POLY_EXPM1_TABLE(tenon_vf_fma, tenon_vf_splat, r);
  const tenon_vf entry = tenon_vf_exp_entry((tenon_vi)sum);
  const tenon_vf d = entry + tenon_vf_fma(entry, q, one);
  return tenon_vf_pick((steps & tenon_vf_silu_beyond()) != 0,
                       tenon_vf_fma(a / d, one, -(a - x)), y);
}

TENON_FLAT tenon_vf tenon_vf_silu_near(tenon_vf x, tenon_vi *steps) {
  static const uint32_t table[16] __attribute__((aligned(64))) =
      TENON_SILU_TABLE;
  const tenon_vf sum = tenon_vf_silu_sum(x);
  const tenon_vf n = sum - tenon_vf_splat(TENON_SILU_MAGIC);
  const tenon_vf r = tenon_vf_fma(n, tenon_vf_splat(-TENON_LN2), -x);
  const tenon_vf q = TENON_POLY_EXPM1_TABLE_UP(tenon_vf_fma, tenon_vf_splat, r);
  const tenon_vf entry =
      (tenon_vf)tenon_vi_add((tenon_vi)tenon_vf_table(table, (tenon_vi)sum),
                             tenon_vi_shift((tenon_vi)sum, 19));
  *steps |= (tenon_vi)sum ^ TENON_EXP_MAGIC_BITS;
  TENON_SETTLE(*steps);
  return x / (entry + tenon_vf_fma(entry, q, tenon_vf_splat(1.0f)));
}

// How many registers at a time.
enum { tenon_vf_silu_chains = TENON_VB == 64 ? 6 : 3 };

TENON_FLAT bool tenon_vf_silu(const tenon_vf *x, tenon_vf *y, const int n) {
  tenon_vi steps = {0};
  TENON_UNROLL
  for (int k = 0; k < n; ++k)
    y[k] = tenon_vf_silu_near(x[k], &steps);
  TENON_UNROLL
  for (int k = 0; k < n; ++k)
    TENON_SETTLE_BOTH(steps, y[k]);
  return tenon_vi_has(steps, tenon_vf_silu_beyond());
}

#endif  // TENON_KERN_OPT_SILU_F32_OPT_H
