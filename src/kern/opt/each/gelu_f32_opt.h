// kern/opt/each/gelu_f32_opt.h - kern/num/gelu.h on vectors: the same bits.
#ifndef TENON_KERN_OPT_GELU_F32_OPT_H
#define TENON_KERN_OPT_GELU_F32_OPT_H

#include "kern/num/gelu_table.h"
#include "kern/op/activation.h"
#include "kern/opt/each/real_f32_opt.h"

TENON_FLAT tenon_vf tenon_vf_gelu(tenon_vf x) {
  static const float table[TENON_GELU_POWERS + 1][16]
      __attribute__((aligned(64))) = TENON_GELU_TABLE;
  const tenon_vf one = tenon_vf_splat(9.094947017729282e-13f);
  const tenon_vf magic = tenon_vf_splat(TENON_EXP_MAGIC + 40.0f);
  const tenon_vf t = tenon_vf_at_most(tenon_vf_abs(x), tenon_vf_splat(14.99f));
  const tenon_vf w = t * t;
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
  const tenon_vi piece = (tenon_vi)((tenon_vu)(t + 1.0f) >> 21);
  const tenon_vf s = t - tenon_vf_table(table[0], piece);
  tenon_vf m = tenon_vf_table(table[1], piece);
  TENON_UNROLL
  for (int i = 2; i < TENON_GELU_POWERS; ++i)
    m = tenon_vf_fma(m, s, tenon_vf_table(table[i], piece));
  m = tenon_vf_fma(
      m, s,
      tenon_vf_at_least(tenon_vf_at_most(0.5f * t, tenon_vf_splat(0.125f)),
                        tenon_vf_table(table[TENON_GELU_POWERS], piece)));
  const tenon_vf z = m * entry;
  const tenon_vf y = z + tenon_vf_fma(z, q, tenon_vf_fma(m, entry, -z));
  return tenon_vf_fma(-y, one, tenon_vf_at_least(x, tenon_vf_splat(-0.0f)));
}

#endif  // TENON_KERN_OPT_GELU_F32_OPT_H
