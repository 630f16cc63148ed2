// kern/opt/real_f32_opt.h - kern/real.h on vectors: the same steps in the same
// order, so the same bits. Where it chooses between two ways, both are gone.
#ifndef TENON_KERN_OPT_REAL_F32_OPT_H
#define TENON_KERN_OPT_REAL_F32_OPT_H

#include "kern/opt/vectors.h"
#include "tenon/tensor.h"

TENON_FLAT tenon_vf tenon_vf_pow2(tenon_vi n) {
  return (tenon_vf)tenon_vi_shift(tenon_vi_add(n, tenon_vi_splat(127)), 23);
}

TENON_FLAT tenon_vf tenon_vf_exp(tenon_vf x) {
  const tenon_vf magic = tenon_vf_splat(12582912.0f);
  const tenon_vf one = tenon_vf_splat(1.0f);
  const tenon_vf least = tenon_vf_splat(-105.0f), most = tenon_vf_splat(89.0f);
  x = tenon_vf_pick(x < least, least, x);
  x = tenon_vf_pick(x > most, most, x);
  const tenon_vf sum = x * tenon_vf_splat(1.44269504088896341f) + magic;
  const tenon_vf n = sum - magic;
  const tenon_vf high = x - n * tenon_vf_splat(0.693359375f);
  const tenon_vf low = n * tenon_vf_splat(2.12194440e-4f);
  const tenon_vf r = high + low;
  tenon_vf lost = (high - r) + low;
  tenon_vf p = tenon_vf_splat(1.9875691500e-4f);
  p = p * r + tenon_vf_splat(1.3981999507e-3f);
  p = p * r + tenon_vf_splat(8.3334519073e-3f);
  p = p * r + tenon_vf_splat(4.1665795894e-2f);
  p = p * r + tenon_vf_splat(1.6666665459e-1f);
  p = p * r + tenon_vf_splat(5.0000001201e-1f);
  tenon_vf y = one + r;
  lost += r - (y - one);
  y += r * r * p + lost;
  const tenon_vi k = tenon_vi_add((tenon_vi)sum, tenon_vi_splat(-0x4b400000));
  // A half, cut towards zero.
  const tenon_vi half = tenon_vi_add(k, (tenon_vi)((tenon_vu)k >> 31)) >> 1;
  const tenon_vi rest = (tenon_vi)((tenon_vu)k - (tenon_vu)half);
  return y * tenon_vf_pow2(half) * tenon_vf_pow2(rest);
}

TENON_FLAT tenon_vf tenon_vf_log(tenon_vf x) {
  const tenon_vf zero = {0}, two = tenon_vf_splat(2.0f);
  const tenon_vi middle = tenon_vi_splat(0x3f3504f3);  // sqrt(2) / 2
  const tenon_vi infinity = tenon_vi_splat(0x7f800000);
  const tenon_vi is_tiny = (tenon_vi)x < tenon_vi_splat(0x00800000);
  tenon_vi bits =
      (tenon_vi)tenon_vf_pick(is_tiny, x * tenon_vf_splat(33554432.0f), x);
  bits = tenon_vi_add(bits, tenon_vi_splat(0x3f800000 - 0x3f3504f3));
  const tenon_vi k = (bits >> 23) - 127 - (is_tiny & 25);
  bits = (bits & 0x007fffff) + middle;
  const tenon_vf f = (tenon_vf)bits - tenon_vf_splat(1.0f);
  const tenon_vf s = f / (two + f), z = s * s, w = z * z;
  const tenon_vf odd =
      w * (tenon_vf_splat(0.40000972152f) + w * tenon_vf_splat(0.24279078841f));
  const tenon_vf even =
      z * (tenon_vf_splat(0.66666662693f) + w * tenon_vf_splat(0.28498786688f));
  const tenon_vf hfsq = tenon_vf_splat(0.5f) * f * f;
  const tenon_vf dk = __builtin_convertvector(k, tenon_vf);
  tenon_vf y = s * (hfsq + (even + odd)) +
               dk * tenon_vf_splat(9.0580006145e-06f) - hfsq + f +
               dk * tenon_vf_splat(6.9313812256e-01f);
  y = tenon_vf_pick((tenon_vi)x == infinity, x, y);
  y = tenon_vf_pick(x < zero, (tenon_vf)tenon_vi_splat(0x7fc00000), y);
  y = tenon_vf_pick(x == zero, (tenon_vf)(infinity | INT32_MIN), y);
  return tenon_vf_pick(x != x, x, y);
}

TENON_FLAT tenon_vf tenon_vf_tanh(tenon_vf x) {
  const tenon_vf one = tenon_vf_splat(1.0f), two = tenon_vf_splat(2.0f);
  const tenon_vi sign = (tenon_vi)x & tenon_vi_splat(INT32_MIN);
  const tenon_vf a = (tenon_vf)((tenon_vi)x ^ sign), z = a * a;
  tenon_vf p = tenon_vf_splat(-5.70498872745e-3f);
  p = p * z + tenon_vf_splat(2.06390887954e-2f);
  p = p * z - tenon_vf_splat(5.37397155531e-2f);
  p = p * z + tenon_vf_splat(1.33314422036e-1f);
  p = p * z - tenon_vf_splat(3.33332819422e-1f);
  const tenon_vf near = p * z * a + a;
  const tenon_vf far = one - two / (tenon_vf_exp(two * a) + one);
  const tenon_vf y = tenon_vf_pick(a < tenon_vf_splat(0.625f), near, far);
  return (tenon_vf)((tenon_vi)y | sign);
}

TENON_FLAT tenon_vf tenon_vf_logistic(tenon_vf x) {
  const tenon_vf one = tenon_vf_splat(1.0f);
  const tenon_vi is_below = x < tenon_vf_splat(0.0f);
  const tenon_vf e = tenon_vf_exp(tenon_vf_pick(is_below, x, -x));
  return tenon_vf_pick(is_below, e, one) / (one + e);
}

// Defines the kernel `name`, whose items are elements: `function` of each. It
// may work in place.
#define TENON_EACH_VECTOR(name, function)                                     \
  TENON_KERNEL_RANGE(name) {                                                  \
    const float *from = (const float *)c->in[0].data;                         \
    float *to = (float *)c->out[0].data;                                      \
    ptrdiff_t i = (ptrdiff_t)begin;                                           \
    for (; i + TENON_VL <= (ptrdiff_t)end; i += TENON_VL)                     \
      tenon_vf_store(to + i, function(tenon_vf_load(from + i)));              \
    if (i < (ptrdiff_t)end)                                                   \
      tenon_vf_store_part(                                                    \
          to + i, function(tenon_vf_load_part(from + i, (ptrdiff_t)end - i)), \
          (ptrdiff_t)end - i);                                                \
    return TENON_OK;                                                          \
  }

#endif  // TENON_KERN_OPT_REAL_F32_OPT_H
