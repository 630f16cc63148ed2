// kern/opt/each/pow_f32_opt.h - kern/num/pow.h on vectors: the same bits.
#ifndef TENON_KERN_OPT_POW_F32_OPT_H
#define TENON_KERN_OPT_POW_F32_OPT_H

#include "kern/num/pow.h"
#include "kern/opt/each/real_f32_opt.h"

TENON_FLAT tenon_vf tenon_vf_log2_pair(tenon_vf x, tenon_vf *low) {
  tenon_vf f;
  const tenon_vf k = tenon_vf_log_split(x, &f);
  const tenon_vf d = 2.0f + f, over = 1.0f / d, s = tenon_vf_cut(f * over);
  tenon_vf t = tenon_vf_cut(d);
  const tenon_vf rest = ((f - s * t) - s * ((d - t) + (f - (d - 2.0f)))) * over;
  const tenon_vf z1 = s * s;
  tenon_vf zb = rest * (s + s + rest);
  const tenon_vf z = z1 + zb, za = tenon_vf_cut(z1);
  zb += z1 - za;
  t = za * TENON_POW_THIRD;
  tenon_vf t_low = zb * TENON_POW_THIRD +
                   (z * TENON_POW_THIRD_REST + z * z * TENON_POLY_POW(z));
  tenon_vf a = tenon_vf_cut(1.0f + t + t_low);
  tenon_vf a_low = (t - (a - 1.0f)) + t_low;
  t = s * a;
  t_low = s * a_low + rest * (a + a_low);
  const tenon_vf l = tenon_vf_cut(t + t_low), l_low = (t - l) + t_low;
  a = l * TENON_POW_TWO;
  a_low = l_low * TENON_POW_TWO + (l + l_low) * TENON_POW_TWO_REST;
  t = k + a;
  t_low = ((k - t) + a) + a_low;
  const tenon_vf sum = t + t_low;
  *low = (t - sum) + t_low;
  return sum;
}

TENON_FLAT tenon_vf tenon_vf_pow_plain(tenon_vf x, tenon_vf y) {
  const tenon_vf magic = tenon_vf_magic(), zero = {0};
  const tenon_vf most = tenon_vf_splat(TENON_POW_MOST);
  const tenon_vf least = tenon_vf_splat(TENON_POW_LEAST);
  tenon_vf low;
  const tenon_vf high = tenon_vf_log2_pair(x, &low), at = y * high;
  const tenon_vf a = tenon_vf_cut(high), b = tenon_vf_cut(y), p = b * a;
  low = (high - a) + low;
  const tenon_vf q = b * low + (y - b) * (a + low);
  const tenon_vf sum = (p + q) + magic;
  tenon_vf r = tenon_vf_exp2_end((p - (sum - magic)) + q, sum);
  r = tenon_vf_pick(at >= most, tenon_vf_infinity(), r);
  return tenon_vf_pick(at <= least, zero, r);
}

TENON_FLAT tenon_vf tenon_vf_pow(tenon_vf x, tenon_vf y) {
  const tenon_vf zero = {0}, one = tenon_vf_splat(1.0f);
  const tenon_vf infinity = tenon_vf_infinity(), a = tenon_vf_abs(x);
  const tenon_vf most = tenon_vf_splat(16777216.0f);
  const tenon_vf whole =
      tenon_vf_pick(y == y, tenon_vf_clamp(y, -most, most), zero);
  const tenon_vi n = __builtin_convertvector(whole, tenon_vi);
  const tenon_vi is_whole = __builtin_convertvector(n, tenon_vf) == whole;
  const tenon_vi is_odd = is_whole & (tenon_vi)(-((tenon_vu)n & 1u));
  const tenon_vi is_up = y > zero, is_none = a == zero;
  const tenon_vi is_all = a == infinity;
  tenon_vf r = tenon_vf_pow_plain(a, y);
  r = tenon_vf_pick(a == one, one, r);
  r = tenon_vf_pick(is_all, tenon_vf_pick(is_up, infinity, zero), r);
  r = tenon_vf_pick(is_none, tenon_vf_pick(is_up, zero, infinity), r);
  const tenon_vi is_minus = (tenon_vi)x < 0;
  r = (tenon_vf)((tenon_vi)r ^ (is_minus & is_odd & INT32_MIN));
  r = tenon_vf_pick(is_minus & ~is_whole & ~is_none & ~is_all, tenon_vf_nan(),
                    r);
  r = tenon_vf_pick((x != x) | (y != y), tenon_vf_nan(), r);
  return tenon_vf_pick((y == zero) | (x == one), one, r);
}

#endif  // TENON_KERN_OPT_POW_F32_OPT_H
