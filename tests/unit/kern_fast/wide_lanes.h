// What a header of kern/isa/ has to say, in plain C for 512 bits. The includer
// defines TENON_DOT_GROUP.
#ifndef TENON_TESTS_WIDE_LANES_H
#define TENON_TESTS_WIDE_LANES_H

#include <math.h>

#define TENON_VB 64
#include "kern/opt/vectors.h"

#define TENON_HAS_WIDE_LANES 1

typedef int16_t test_wide_h __attribute__((vector_size(64)));
typedef int64_t test_wide_q __attribute__((vector_size(64)));

// Not inlined, or tiles of many such vectors take the compiler minutes.
TENON_APART void test_wide_fma(const tenon_vf *a, const tenon_vf *b,
                               tenon_vf *c) {
  for (int i = 0; i < TENON_VL; ++i)
    (*c)[i] = fmaf((*a)[i], (*b)[i], (*c)[i]);
}
TENON_FLAT tenon_vf tenon_vf_fma(tenon_vf a, tenon_vf b, tenon_vf c) {
  test_wide_fma(&a, &b, &c);
  return c;
}

TENON_APART void test_wide_dot(tenon_vi *acc, const tenon_vi *a,
                               const tenon_vi *b) {
#if TENON_DOT_GROUP == 4
  for (int i = 0; i < 32; i += 8)
    *acc += (*a >> i & 0xff) * (*b << (24 - i) >> 24);
#else
  *acc += (*a << 16 >> 16) * (*b << 16 >> 16) + (*a >> 16) * (*b >> 16);
#endif
}
TENON_FLAT tenon_vi tenon_vi_dot(tenon_vi acc, tenon_vi a, tenon_vi b) {
  test_wide_dot(&acc, &a, &b);
  return acc;
}

TENON_APART void test_wide_widen(tenon_vi *to, const int8_t *p) {
  for (int i = 0; i < TENON_VL; ++i)
    (*to)[i] = p[i];
}
TENON_FLAT tenon_vi tenon_vi_widen(const int8_t *p) {
  tenon_vi x;
  test_wide_widen(&x, p);
  return x;
}

TENON_APART void test_wide_widen2(test_wide_h *to, const int8_t *p) {
  for (int i = 0; i < 2 * TENON_VL; ++i)
    (*to)[i] = p[i];
}
TENON_FLAT tenon_vi tenon_vi_widen2(const int8_t *p) {
  test_wide_h x;
  test_wide_widen2(&x, p);
  return (tenon_vi)x;
}

TENON_FLAT tenon_vq tenon_vi_mul_even(tenon_vi a, tenon_vi b) {
  return (tenon_vq)(((test_wide_q)a << 32 >> 32) *
                    ((test_wide_q)b << 32 >> 32));
}

TENON_FLAT tenon_vi tenon_vi_zip(tenon_vi a, tenon_vi b) {
  const tenon_vi odd = (tenon_vi)(~(tenon_vq){0} << 32);
  return (a & ~odd) | (b & odd);
}

#endif  // TENON_TESTS_WIDE_LANES_H
