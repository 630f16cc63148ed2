// kern/opt/each/real_f32_opt.h - kern/num/real.h on vectors: the same steps in
// the same order, so the same bits. Where it chooses between two ways, both are
// gone. trig_f32_opt.h, pow_f32_opt.h, gelu_f32_opt.h, silu_f32_opt.h and
// hard_swish_f32_opt.h have the others.
#ifndef TENON_KERN_OPT_REAL_F32_OPT_H
#define TENON_KERN_OPT_REAL_F32_OPT_H

#include "kern/num/exp_table.h"
#include "kern/num/real_poly.h"
#include "kern/opt/vectors.h"
#include "tenon/tensor.h"

TENON_FLAT tenon_vf tenon_vf_infinity(void) {
  return (tenon_vf)tenon_vi_splat(0x7f800000);
}
TENON_FLAT tenon_vf tenon_vf_nan(void) {
  return (tenon_vf)tenon_vi_splat(0x7fc00000);
}
TENON_FLAT tenon_vi tenon_vf_sign(tenon_vf x) {
  return (tenon_vi)x & tenon_vi_splat(INT32_MIN);
}
TENON_FLAT tenon_vf tenon_vf_abs(tenon_vf x) {
  return (tenon_vf)((tenon_vi)x & tenon_vi_splat(INT32_MAX));
}
TENON_FLAT tenon_vf tenon_vf_cut(tenon_vf x) {
  return (tenon_vf)((tenon_vi)x & tenon_vi_splat(-0x1000));
}

TENON_FLAT tenon_vf tenon_vf_pow2(tenon_vi n) {
  return (tenon_vf)tenon_vi_shift(tenon_vi_add(n, tenon_vi_splat(127)), 23);
}
// The first product is exact, so the second rounds once: what a register's own
// step does, where there is one.
#ifndef TENON_HAS_SCALE
TENON_FLAT tenon_vf tenon_vf_scale(tenon_vf y, tenon_vi k) {
  // A half, cut towards zero.
  const tenon_vi half = tenon_vi_add(k, (tenon_vi)((tenon_vu)k >> 31)) >> 1;
  const tenon_vi rest = (tenon_vi)((tenon_vu)k - (tenon_vu)half);
  return y * tenon_vf_pow2(half) * tenon_vf_pow2(rest);
}
#endif

// 1.5 * 2^23, and the integers that sums with it have in their low bits.
TENON_FLAT tenon_vf tenon_vf_magic(void) {
  return tenon_vf_splat(12582912.0f);
}
TENON_FLAT tenon_vi tenon_vf_whole(tenon_vf sum) {
  return tenon_vi_add((tenon_vi)sum, tenon_vi_splat(-0x4b400000));
}

// What a comparison and a choice give; a NaN passes through.
#ifndef TENON_HAS_ENDS
TENON_FLAT tenon_vf tenon_vf_at_least(tenon_vf x, tenon_vf lo) {
  return tenon_vf_pick(x < lo, lo, x);
}
TENON_FLAT tenon_vf tenon_vf_at_most(tenon_vf x, tenon_vf hi) {
  return tenon_vf_pick(x > hi, hi, x);
}
#endif

// Whether a lane is -1, where others are 0.
#ifndef TENON_HAS_ANY
TENON_FLAT bool tenon_vi_any(tenon_vi mask) {
  const tenon_vq q = (tenon_vq)mask;
  uint64_t all = 0;
  TENON_UNROLL
  for (int i = 0; i < TENON_VL / 2; ++i)
    all |= q[i];
  return all != 0;
}
#endif

// Whether a lane of x has one of these bits.
#ifndef TENON_HAS_BITS
TENON_FLAT bool tenon_vi_has(tenon_vi x, tenon_vi bits) {
  return tenon_vi_any((x & bits) != 0);
}
#endif

// table[i % 16] for each lane i, of 32 bits each.
#ifndef TENON_HAS_TABLE
TENON_FLAT tenon_vf tenon_vf_table(const void *table, tenon_vi i) {
  float lanes[TENON_VL];
  int32_t at[TENON_VL];
  tenon_vi_store(at, i & 15);
  TENON_UNROLL
  for (int k = 0; k < TENON_VL; ++k)
    memcpy(lanes + k, (const char *)table + 4 * at[k], 4);
  return tenon_vf_load(lanes);
}
#endif

TENON_FLAT tenon_vf tenon_vf_exp_entry(tenon_vi bits) {
  static const uint32_t table[16] __attribute__((aligned(64))) =
      TENON_EXP_TABLE;
  return (tenon_vf)tenon_vi_add((tenon_vi)tenon_vf_table(table, bits),
                                tenon_vi_shift(bits, 19));
}

// What is left of x: the first product is exact, so it may be fused.
TENON_FLAT tenon_vf tenon_vf_exp_rest(tenon_vf x, tenon_vf n) {
#ifdef TENON_HAS_FMA
  return tenon_vf_fma(n, tenon_vf_splat(-0.693359375f), x) + n * 2.12194440e-4f;
#else
  return (x - n * 0.693359375f) + n * 2.12194440e-4f;
#endif
}

TENON_FLAT tenon_vf tenon_vf_exp(tenon_vf x) {
  const tenon_vf magic = tenon_vf_splat(TENON_EXP_MAGIC);
  x = tenon_vf_clamp(x, tenon_vf_splat(-105.0f), tenon_vf_splat(89.0f));
  const tenon_vf sum = x * 1.44269504088896341f + magic, n = sum - magic;
  const tenon_vf r = tenon_vf_exp_rest(x, n);
  const tenon_vi k =
      tenon_vi_add((tenon_vi)sum, tenon_vi_splat(-TENON_EXP_MAGIC_BITS));
  return tenon_vf_scale(tenon_vf_exp_entry(k & 15) * TENON_POLY_EXP_TABLE(r),
                        k >> 4);
}

// The same for x up to 40, with 2^64 times the power of two, which has all
// exponents in range.
TENON_FLAT tenon_vf tenon_vf_exp_down(tenon_vf x) {
  const tenon_vf magic = tenon_vf_splat(TENON_EXP_MAGIC + 64.0f);
  x = tenon_vf_at_least(x, tenon_vf_splat(-105.0f));
  const tenon_vf sum = x * 1.44269504088896341f + magic, n = sum - magic;
  const tenon_vf r = tenon_vf_exp_rest(x, n);
  return tenon_vf_exp_entry((tenon_vi)sum) * TENON_POLY_EXP_TABLE(r) *
         5.421010862427522e-20f;
}

// 2^r from what is left of an exponent, and its integer.
TENON_FLAT tenon_vf tenon_vf_exp2_end(tenon_vf r, tenon_vf sum) {
  return tenon_vf_scale(
      1.0f + (r * 0.69314718055994531f + r * r * TENON_POLY_EXP2(r)),
      tenon_vf_whole(sum));
}

TENON_FLAT tenon_vf tenon_vf_exp2(tenon_vf x) {
  const tenon_vf magic = tenon_vf_magic();
  x = tenon_vf_clamp(x, tenon_vf_splat(-151.0f), tenon_vf_splat(129.0f));
  const tenon_vf sum = x + magic;
  return tenon_vf_exp2_end(x - (sum - magic), sum);
}

TENON_FLAT tenon_vf tenon_vf_expm1(tenon_vf x) {
  const tenon_vf magic = tenon_vf_magic(), zero = {0};
  const tenon_vi most = tenon_vi_splat(30);
  const tenon_vf c =
      tenon_vf_clamp(x, tenon_vf_splat(-26.0f), tenon_vf_splat(89.0f));
  const tenon_vf sum = c * 1.44269504088896341f + magic, n = sum - magic;
  const tenon_vf high = c - n * 0.693359375f, low = n * 2.12194440e-4f;
  const tenon_vf r = high + low;
  const tenon_vi k = tenon_vf_whole(sum);
  const tenon_vi m = tenon_vi_pick(k > most, most, k);
  const tenon_vf one = 1.0f - tenon_vf_pow2((tenon_vi)(-(tenon_vu)m));
  tenon_vf y = one + r, lost = (high - r) + low;
  lost += tenon_vf_pick(k == 0, zero, r - (y - one));
  y = tenon_vf_scale(y + (r * r * TENON_POLY_EXPM1(r) + lost), k);
  return tenon_vf_pick(x == zero, x, y);
}

// x = (1 + f) 2^result.
TENON_FLAT tenon_vf tenon_vf_log_split(tenon_vf x, tenon_vf *f) {
  const tenon_vi middle = tenon_vi_splat(0x3f3504f3);  // sqrt(2) / 2
  const tenon_vi is_tiny = (tenon_vi)x < tenon_vi_splat(0x00800000);
  tenon_vi bits = (tenon_vi)tenon_vf_pick(is_tiny, x * 33554432.0f, x);
  bits = tenon_vi_add(bits, tenon_vi_splat(0x3f800000 - 0x3f3504f3));
  const tenon_vi k = (bits >> 23) - 127 - (is_tiny & 25);
  bits = (bits & 0x007fffff) + middle;
  *f = (tenon_vf)bits - 1.0f;
  return __builtin_convertvector(k, tenon_vf);
}

TENON_FLAT tenon_vf tenon_vf_log_rest(tenon_vf f, tenon_vf half) {
  const tenon_vf s = f / (2.0f + f), z = s * s, w = z * z;
  return s * (half + (TENON_POLY_LOG_EVEN(z, w) + TENON_POLY_LOG_ODD(w)));
}

// y, but where x has no logarithm.
TENON_FLAT tenon_vf tenon_vf_log_special(tenon_vf x, tenon_vf y) {
  const tenon_vf zero = {0}, infinity = tenon_vf_infinity();
  y = tenon_vf_pick((tenon_vi)x == (tenon_vi)infinity, x, y);
  y = tenon_vf_pick(x < zero, tenon_vf_nan(), y);
  y = tenon_vf_pick(x == zero, -infinity, y);
  return tenon_vf_pick(x != x, x, y);
}

TENON_FLAT tenon_vf tenon_vf_log(tenon_vf x) {
  tenon_vf f;
  const tenon_vf k = tenon_vf_log_split(x, &f), half = 0.5f * f * f;
  const tenon_vf y = tenon_vf_log_rest(f, half) + k * 9.0580006145e-06f - half +
                     f + k * 6.9313812256e-01f;
  return tenon_vf_log_special(x, y);
}

TENON_FLAT tenon_vf tenon_vf_log1p(tenon_vf x) {
  const tenon_vf u = 1.0f + x, one = tenon_vf_splat(1.0f), zero = {0};
  tenon_vf f;
  const tenon_vf k = tenon_vf_log_split(u, &f);
  tenon_vf lost = tenon_vf_pick(x > one, 1.0f - (u - x), x - (u - 1.0f)) / u;
  f = tenon_vf_pick(k == zero, x, f);
  lost = tenon_vf_pick(k == zero, zero, lost);
  const tenon_vf half = 0.5f * f * f;
  const tenon_vf y = tenon_vf_log_rest(f, half) +
                     (k * 9.0580006145e-06f + lost) - half + f +
                     k * 6.9313812256e-01f;
  return tenon_vf_pick(x == zero, x, tenon_vf_log_special(u, y));
}

TENON_FLAT tenon_vf tenon_vf_log_by(tenon_vf x, float by, float by_rest,
                                    float two, float two_rest) {
  tenon_vf f;
  const tenon_vf k = tenon_vf_log_split(x, &f), half = 0.5f * f * f;
  const tenon_vf rest = tenon_vf_log_rest(f, half);
  const tenon_vf high = tenon_vf_cut(f - half);
  const tenon_vf low = (f - high) - half + rest;
  const tenon_vf a = high * by, b = k * two, y = b + a;
  return tenon_vf_log_special(
      x,
      y + ((b - y + a) + (k * two_rest + ((low + high) * by_rest + low * by))));
}
TENON_FLAT tenon_vf tenon_vf_log2(tenon_vf x) {
  return tenon_vf_log_by(x, 1.44287109375f, -1.7605285393e-04f, 1.0f, 0.0f);
}
TENON_FLAT tenon_vf tenon_vf_log10(tenon_vf x) {
  return tenon_vf_log_by(x, 0.434326171875f, -3.1689971365e-05f,
                         3.0102920532e-01f, 7.9034151668e-07f);
}

TENON_FLAT tenon_vf tenon_vf_tanh(tenon_vf x) {
  const tenon_vf a = tenon_vf_abs(x), z = a * a;
  const tenon_vf near = TENON_POLY_TANH(z) * a + a;
  const tenon_vf b = tenon_vf_at_most(2.0f * a, tenon_vf_splat(40.0f));
  const tenon_vf far = 1.0f - 2.0f / (tenon_vf_exp_down(b) + 1.0f);
  const tenon_vf y = tenon_vf_pick(a < tenon_vf_splat(0.625f), near, far);
  return (tenon_vf)((tenon_vi)y | tenon_vf_sign(x));
}

TENON_FLAT tenon_vf tenon_vf_logistic(tenon_vf x) {
  const tenon_vf one = tenon_vf_splat(9.094947017729282e-13f);
  const tenon_vf magic = tenon_vf_splat(TENON_EXP_MAGIC - 40.0f);
  const tenon_vf a =
      tenon_vf_clamp(x, tenon_vf_splat(-105.0f), tenon_vf_splat(40.0f));
  const tenon_vf sum = a * -1.44269504088896341f + magic, n = sum - magic;
  const tenon_vf r = tenon_vf_exp_rest(-a, n);
  const tenon_vf q = TENON_POLY_3(r, TENON_EXP_CUBE, TENON_EXP_SQUARE,
                                  TENON_EXP_SLOPE, TENON_EXP_SLOPE - 1.0f);
  const tenon_vf entry = tenon_vf_exp_entry((tenon_vi)sum);
  return one / (entry + (entry * q + one));
}

TENON_FLAT tenon_vf tenon_vf_softplus(tenon_vf x) {
  const tenon_vf magic = tenon_vf_splat(TENON_EXP_MAGIC + 64.0f);
  const tenon_vf a = tenon_vf_at_most(tenon_vf_abs(x), tenon_vf_splat(105.0f));
  const tenon_vf sum =
      tenon_vf_fma(a, tenon_vf_splat(-1.44269504088896341f), magic);
  const tenon_vf n = sum - magic;
  const tenon_vf r =
      tenon_vf_fma(n, tenon_vf_splat(TENON_LN2_REST),
                   tenon_vf_fma(n, tenon_vf_splat(-TENON_LN2), -a));
  const tenon_vf q = TENON_POLY_EXPM1_TABLE(tenon_vf_fma, tenon_vf_splat, r);
  const tenon_vf entry = tenon_vf_exp_entry((tenon_vi)sum);
  const tenon_vf e = tenon_vf_fma(entry, q, entry) * 5.421010862427522e-20f;
  const tenon_vf rest =
      tenon_vf_fma(e * e, TENON_POLY_LOG1P(tenon_vf_fma, tenon_vf_splat, e), e);
  return tenon_vf_pick(x > (tenon_vf){0}, x, (tenon_vf){0}) + rest;
}

TENON_FLAT tenon_vf tenon_vf_erf(tenon_vf x) {
  const tenon_vf a = tenon_vf_abs(x), z = a * a, four = tenon_vf_splat(4.0f);
  const tenon_vf near = a * TENON_POLY_ERF(z) + a;
  const tenon_vf b = tenon_vf_at_most(a, four);
  const tenon_vf far = 1.0f - tenon_vf_exp_down(TENON_POLY_ERFC(b));
  const tenon_vf y = tenon_vf_pick(a < tenon_vf_splat(0.9f), near, far);
  return (tenon_vf)((tenon_vi)y | tenon_vf_sign(x));
}

#endif  // TENON_KERN_OPT_REAL_F32_OPT_H
