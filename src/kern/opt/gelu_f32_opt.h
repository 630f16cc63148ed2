// kern/opt/gelu_f32_opt.h - kern/gelu.h on vectors: the same bits.
#ifndef TENON_KERN_OPT_GELU_F32_OPT_H
#define TENON_KERN_OPT_GELU_F32_OPT_H

#include "kern/activation.h"
#include "kern/opt/real_f32_opt.h"

TENON_FLAT tenon_vf tenon_vf_gelu(tenon_vf x) {
  const tenon_vf most = tenon_vf_splat(15.0f), one = tenon_vf_splat(1.0f);
  tenon_vf t = tenon_vf_abs(x);
  t = tenon_vf_pick(t > most, most, t);
  const tenon_vf th = tenon_vf_cut(t);
  const tenon_vf square = th * th, rest = (t - th) * (t + th);
  const tenon_exp_parts_v e = tenon_vf_exp_parts(-0.5f * square, -0.5f * rest);
  const tenon_vf y = e.y + e.tail, y_low = e.tail - (y - e.y);
  const tenon_vf c = 0.25f * t, d = 1.0f + c;
  const tenon_vf d_low = tenon_vf_pick(c < one, c - (d - 1.0f), 1.0f - (d - c));
  const tenon_vf w = 1.0f / d;
  tenon_vf p = w * d;
  const tenon_vf miss =
      ((1.0f - p) - tenon_vf_product_rest(w, d, p)) - w * d_low;
  const tenon_vf v = w - 0.5f;
  p = v * TENON_POLY_GELU(v);
  const tenon_vf q = TENON_GELU_SECOND + p;
  const tenon_vf q_low = p - (q - TENON_GELU_SECOND);
  p = q * v;
  const tenon_vf r = TENON_GELU_FIRST + p;
  const tenon_vf r_low =
      (p - (r - TENON_GELU_FIRST)) + (q_low * v + TENON_GELU_FIRST_REST);
  tenon_vf a = t * w, a_low = tenon_vf_product_rest(t, w, a);
  const tenon_vf b = a * r;
  const tenon_vf b_low = tenon_vf_product_rest(a, r, b) + a_low * r +
                         a * r_low + b * miss * (0.72f + 2.43f * w);
  a = b * y;
  a_low = tenon_vf_product_rest(b, y, a) + (b_low * y + b * y_low);
  const tenon_vf below = -tenon_vf_scale(a + a_low, e.k);
  const tenon_vf above =
      (x - tenon_vf_scale(a, e.k)) - tenon_vf_scale(a_low, e.k);
  return tenon_vf_pick((tenon_vi)x < 0, below, above);
}

#endif  // TENON_KERN_OPT_GELU_F32_OPT_H
