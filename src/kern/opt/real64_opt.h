// kern/opt/real64_opt.h - kern/real64.h and kern/special64.h on vectors of
// doubles, for arguments that are floats: the same steps in the same order, so
// the same bits. Where it chooses between ways, all are gone.
//
// What the float that comes out cannot tell from its neighbours is left out,
// and so is what a product of two floats, exact in double, has not lost.
#ifndef TENON_KERN_OPT_REAL64_OPT_H
#define TENON_KERN_OPT_REAL64_OPT_H

#include "kern/erf_table.h"
#include "kern/opt/vectors.h"
#include "tenon/tensor.h"

#define TENON_VDL (TENON_VL / 2)  // doubles in a register

typedef double tenon_vd __attribute__((vector_size(TENON_VB)));
typedef int64_t tenon_vl __attribute__((vector_size(TENON_VB)));

typedef float tenon_vh __attribute__((vector_size(TENON_VB / 2)));

// From and to floats, half a register of them.
TENON_FLAT tenon_vd tenon_vd_load(const float *p) {
  tenon_vh x;
  memcpy(&x, p, sizeof x);
  return __builtin_convertvector(x, tenon_vd);
}
TENON_FLAT void tenon_vd_store(float *p, tenon_vd x) {
  const tenon_vh y = __builtin_convertvector(x, tenon_vh);
  memcpy(p, &y, sizeof y);
}
TENON_FLAT tenon_vd tenon_vd_splat(double x) {
  return x - (tenon_vd){0};
}
TENON_FLAT tenon_vd tenon_vd_pick(tenon_vl mask, tenon_vd a, tenon_vd b) {
  return (tenon_vd)(((tenon_vl)a & mask) | ((tenon_vl)b & ~mask));
}

// a / b of two polynomials, the coefficients of the highest powers first.
TENON_FLAT void tenon_vd_ratio(tenon_vd z, const double *p, const double *q,
                               const int n, tenon_vd *a, tenon_vd *b) {
  *a = tenon_vd_splat(p[0]);
  *b = tenon_vd_splat(q[0]);
  TENON_UNROLL
  for (int i = 1; i < n; ++i) {
    *a = *a * z + tenon_vd_splat(p[i]);
    *b = *b * z + tenon_vd_splat(q[i]);
  }
}

// exp(x) for x from -700 to 700, so that the result is a normal number.
TENON_FLAT tenon_vd tenon_vd_exp_plain(tenon_vd x) {
  static const double taylor[12] = {
      1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0,
      1.0 / 362880.0,     1.0 / 40320.0,     1.0 / 5040.0,     1.0 / 720.0,
      1.0 / 120.0,        1.0 / 24.0,        1.0 / 6.0,        0.5};
  const tenon_vd magic = tenon_vd_splat(6755399441055744.0);  // 1.5 * 2^52
  const tenon_vd one = tenon_vd_splat(1.0);
  const tenon_vd at =
      x * tenon_vd_splat(1.4426950408889634) + tenon_vd_splat(0.5);
  // The nearest integer, and one less where that is above: floor.
  tenon_vd n = (at + magic) - magic;
  n = n - tenon_vd_pick(n > at, one, (tenon_vd){0});
  const tenon_vd r = (x - n * tenon_vd_splat(0.6931471803691238)) -
                     n * tenon_vd_splat(1.9082149292705877e-10);
  tenon_vd p = tenon_vd_splat(1.0 / 87178291200.0);
  TENON_UNROLL
  for (int i = 0; i < 12; ++i)
    p = p * r + tenon_vd_splat(taylor[i]);
  const tenon_vd y = one + (r + r * r * p);
  // The low bits of the sum are n.
  const tenon_vl bits = (tenon_vl)(n + magic) + 1023;
  return y * (tenon_vd)((tenon_vq)bits << 52);
}

// Above 4, 1 - erfc(x) is nearer to 1 than to any other float.
TENON_FLAT tenon_vd tenon_vd_erf(tenon_vd x) {
  static const double p[5] = TENON_ERF_SMALL;
  static const double q[5] = TENON_ERF_SMALL_UNDER;
  static const double r[9] = TENON_ERFC_MIDDLE;
  static const double s[9] = TENON_ERFC_MIDDLE_UNDER;
  const tenon_vd one = tenon_vd_splat(1.0), four = tenon_vd_splat(4.0);
  const tenon_vl sign = (tenon_vl)x & INT64_MIN;
  const tenon_vd all = (tenon_vd)((tenon_vl)x ^ sign);
  const tenon_vl is_far = all > four;
  const tenon_vd a = tenon_vd_pick(is_far, four, all), square = a * a;
  const tenon_vl is_small = a <= tenon_vd_splat(0.46875);
  tenon_vd small, small_under, large, large_under;
  tenon_vd_ratio(square, p, q, 5, &small, &small_under);
  tenon_vd_ratio(a, r, s, 9, &large, &large_under);
  const tenon_vd ratio = tenon_vd_pick(is_small, small, large) /
                         tenon_vd_pick(is_small, small_under, large_under);
  const tenon_vd rest = one - tenon_vd_exp_plain(-square) * ratio;
  const tenon_vd y =
      tenon_vd_pick(is_small, a * ratio, tenon_vd_pick(is_far, one, rest));
  return (tenon_vd)((tenon_vl)y | sign);
}

// Defines the kernel `name`, whose items are elements: `function` of each,
// rounded to a float. It may work in place.
#define TENON_EACH_DOUBLE(name, function)                               \
  TENON_KERNEL_RANGE(name) {                                            \
    const float *from = (const float *)c->in[0].data;                   \
    float *to = (float *)c->out[0].data;                                \
    ptrdiff_t i = (ptrdiff_t)begin;                                     \
    for (; i + TENON_VDL <= (ptrdiff_t)end; i += TENON_VDL)             \
      tenon_vd_store(to + i, function(tenon_vd_load(from + i)));        \
    if (i < (ptrdiff_t)end) {                                           \
      const size_t size = (size_t)((ptrdiff_t)end - i) * sizeof(float); \
      float lanes[TENON_VDL] = {0};                                     \
      memcpy(lanes, from + i, size);                                    \
      tenon_vd_store(lanes, function(tenon_vd_load(lanes)));            \
      memcpy(to + i, lanes, size);                                      \
    }                                                                   \
    return TENON_OK;                                                    \
  }

#endif  // TENON_KERN_OPT_REAL64_OPT_H
