// kern/opt/each/gelu_f32_opt.h - kern/num/gelu.h on vectors: the same bits.
// Arguments far below zero are rare, and go a second way.
#ifndef TENON_KERN_OPT_GELU_F32_OPT_H
#define TENON_KERN_OPT_GELU_F32_OPT_H

#include "kern/num/gelu_table.h"
#include "kern/op/activation.h"
#include "kern/opt/each/real_f32_opt.h"

// y, but where a lane is far.
TENON_FLAT tenon_vf tenon_vf_gelu_far(tenon_vf x, tenon_vf y) {
  const tenon_vf one = tenon_vf_splat(9.094947017729282e-13f);
  const tenon_vf magic = tenon_vf_splat(TENON_EXP_MAGIC + 40.0f);
  const tenon_vi is_far = x < tenon_vf_splat(-TENON_GELU_NEAR);
  if (!tenon_vi_any(is_far)) return y;
  const tenon_vf t = tenon_vf_at_most(tenon_vf_abs(x), tenon_vf_splat(14.99f));
  const tenon_vf w = t * t, v = 1.0f / w;
  const tenon_vf sum =
      tenon_vf_fma(w, tenon_vf_splat(-0.72134752044448170f), magic);
  const tenon_vf n = sum - magic;
  const tenon_vf low = tenon_vf_fma(n, tenon_vf_splat(2.0f * TENON_LN2_REST),
                                    -tenon_vf_fma(t, t, -w));
  const tenon_vf r =
      tenon_vf_fma(n, tenon_vf_splat(-2.0f * TENON_LN2), -w) + low;
  const tenon_vf q =
      TENON_POLY_EXPM1_TABLE_HALF(tenon_vf_fma, tenon_vf_splat, r);
  const tenon_vf entry = tenon_vf_exp_entry((tenon_vi)sum);
  const tenon_vf m = TENON_POLY_GELU_FAR(tenon_vf_fma, tenon_vf_splat, v);
  const tenon_vf z = m * entry;
  const tenon_vf far = z + tenon_vf_fma(z, q, tenon_vf_fma(m, entry, -z));
  return tenon_vf_pick(is_far, -(far * one), y);
}

TENON_FLAT tenon_vf tenon_vf_gelu_near(const float (*table)[16], tenon_vf x) {
  const tenon_vf t =
      tenon_vf_at_most(tenon_vf_abs(x), tenon_vf_splat(TENON_GELU_NEAR));
  const tenon_vi piece =
      (tenon_vi)tenon_vf_fma(t,
                             tenon_vf_fma(t, tenon_vf_splat(TENON_GELU_SQUARE),
                                          tenon_vf_splat(TENON_GELU_SLOPE)),
                             tenon_vf_splat(TENON_GELU_MAGIC));
  const tenon_vf place = tenon_vf_table(table[0], piece), s = t - place;
  tenon_vf q = (tenon_vf)tenon_vi_shift((tenon_vi)place, 16);
  TENON_UNROLL
  for (int i = 1; i <= TENON_GELU_POWERS; ++i)
    q = tenon_vf_fma(q, s, tenon_vf_table(table[i], piece));
  return tenon_vf_fma(-t, q, tenon_vf_at_least(x, tenon_vf_splat(-0.0f)));
}

// How many registers at a time: constants leave no registers for more, but
// where they are read from memory.
enum { tenon_vf_gelu_chains = TENON_VB == 64 ? 4 : 3 };

TENON_FLAT bool tenon_vf_gelu(const tenon_vf *x, tenon_vf *y, const int n) {
  static const float all[TENON_GELU_POWERS + 1][16]
      __attribute__((aligned(64))) = TENON_GELU_TABLE;
  const float(*table)[16] = all;
  // Four chains have no registers for tables, which permutations also take from
  // memory: the processor has few chains at once, as each is a long one.
  if (TENON_VB == 64) TENON_SETTLE_POINTER(table);
  const tenon_vf least = tenon_vf_splat(-TENON_GELU_NEAR);
  tenon_vi is_far = {0};
  TENON_UNROLL
  for (int k = 0; k < n; ++k) {
    y[k] = tenon_vf_gelu_near(table, x[k]);
    is_far |= x[k] < least;
  }
  return tenon_vi_any(is_far);
}

#endif  // TENON_KERN_OPT_GELU_F32_OPT_H
