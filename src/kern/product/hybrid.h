// kern/product/hybrid.h - floats turned into 8-bit integers during a run, for
// weights that are quantised when the values they meet are not.
//
// LiteRT's dynamic-range arithmetic: one scale for each run of values (an
// image, a row), from their least and largest. A value that rounds to another
// integer shifts the result by a whole step, so this is its arithmetic to the
// bit, all in float: x times the inverse scale, half added away from zero, cut.
// (LiteRT rounds the last values of a run, fewer than eight, by the C library;
// that differs for the float below a half whose sum with a half is rounded up.)
#ifndef TENON_KERN_HYBRID_H
#define TENON_KERN_HYBRID_H

#include <math.h>

#include "kern/num/fixed.h"
#include "tenon/tensor.h"

typedef struct tenon_hybrid {
  float scale;
  int32_t zero;
} tenon_hybrid;

// The nearest integer, within limits below 2^23. What is no number becomes lo.
TENON_INLINE int32_t tenon_hybrid_round(float x, int32_t lo, int32_t hi) {
  if (!(x > (float)lo)) return lo;
  if (x > (float)hi) return hi;
  return (int32_t)(x + (x < 0.0f ? -0.5f : 0.5f));
}

// From the largest magnitude. Values times `inverse` are integers.
TENON_INLINE tenon_hybrid tenon_hybrid_of_range(float range, float *inverse) {
  tenon_hybrid h = {1.0f, 0};
  *inverse = 0.0f;
  if (range > 0.0f) {
    h.scale = range / 127.0f;
    *inverse = 127.0f / range;
  }
  return h;
}

TENON_INLINE tenon_hybrid tenon_hybrid_symmetric(const float *x, ptrdiff_t n,
                                                 int8_t *q) {
  tenon_hybrid h;
  float range = 0.0f, inverse;
  for (ptrdiff_t i = 0; i < n; ++i) {
    float a = fabsf(x[i]);
    if (a > range) range = a;
  }
  h = tenon_hybrid_of_range(range, &inverse);
  for (ptrdiff_t i = 0; i < n; ++i)
    q[i] = (int8_t)tenon_hybrid_round(x[i] * inverse, -127, 127);
  return h;
}

// The zero point is reckoned from the end where less is lost.
TENON_INLINE int32_t tenon_hybrid_zero(float lo, float hi, float scale) {
  float from_lo = -128.0f - lo / scale, from_hi = 127.0f - hi / scale;
  bool is_lo_better = 128.0f + fabsf(lo / scale) < 127.0f + fabsf(hi / scale);
  return tenon_round_s32(is_lo_better ? from_lo : from_hi, -128, 127);
}

// From the least and the largest value, between which 0 lies.
TENON_INLINE tenon_hybrid tenon_hybrid_of_limits(float lo, float hi,
                                                 float *inverse) {
  tenon_hybrid h = {1.0f, 0};
  *inverse = 0.0f;
  if (lo < hi) {
    h.scale = (hi - lo) / 255.0f;
    h.zero = tenon_hybrid_zero(lo, hi, h.scale);
    *inverse = 1.0f / h.scale;
  }
  return h;
}

TENON_INLINE tenon_hybrid tenon_hybrid_asymmetric(const float *x, ptrdiff_t n,
                                                  int8_t *q) {
  tenon_hybrid h;
  float lo = 0.0f, hi = 0.0f, inverse;
  for (ptrdiff_t i = 0; i < n; ++i) {
    if (x[i] < lo) lo = x[i];
    if (x[i] > hi) hi = x[i];
  }
  h = tenon_hybrid_of_limits(lo, hi, &inverse);
  for (ptrdiff_t i = 0; i < n; ++i)
    q[i] = (int8_t)(h.zero + tenon_hybrid_round(x[i] * inverse, -128 - h.zero,
                                                127 - h.zero));
  return h;
}

TENON_INLINE tenon_hybrid tenon_hybrid_quantize(const float *x, ptrdiff_t n,
                                                bool asymmetric, int8_t *q) {
  return asymmetric ? tenon_hybrid_asymmetric(x, n, q)
                    : tenon_hybrid_symmetric(x, n, q);
}

// A sum of products as a real number, bias added.
TENON_INLINE float tenon_hybrid_real(tenon_hybrid h, const tenon_quant *w,
                                     ptrdiff_t channel, int32_t acc,
                                     const float *bias) {
  float scale = w->scale[w->channels == 1 ? 0 : channel];
  float y = (float)acc * (h.scale * scale);
  return bias ? y + bias[channel] : y;
}

#endif  // TENON_KERN_HYBRID_H
