// kern/op/round_affine.h - attributes of core::round_affine, and an element of
// it: x becomes a 16-bit float, times a scale and plus a shift in floats, each
// rounded, a 16-bit float again, and is limited; with
// `silu` that function of it is rounded once more. What a convolution of 16-bit
// floats and a normalisation behind it leave of its sums.
#ifndef TENON_KERN_ROUND_AFFINE_H
#define TENON_KERN_ROUND_AFFINE_H

#include "kern/num/half.h"
#include "kern/num/real.h"
#include "kern/op/clamp.h"
#include "tenon/tensor.h"

typedef struct tenon_round_affine_attrs {
  tenon_dtype through, dtype;
  tenon_opt_float lo, hi;
  bool silu;
} tenon_round_affine_attrs;

TENON_INLINE float tenon_round_through(float x, tenon_dtype through) {
  return through == TENON_F16 ? tenon_f32_of_f16(tenon_f16_of_f32(x))
                              : tenon_f32_of_bf16(tenon_bf16_of_f32(x));
}

// Of the type as well: rounding keeps the order.
TENON_INLINE tenon_limits_f32
tenon_round_affine_limits(const tenon_round_affine_attrs *a) {
  tenon_limits_f32 m = tenon_limits_f32_of(a->lo, a->hi);
  m.lo = tenon_round_through(m.lo, a->through);
  m.hi = tenon_round_through(m.hi, a->through);
  return m;
}

TENON_INLINE float tenon_round_affine(float x, float scale, float shift,
                                      const tenon_round_affine_attrs *a,
                                      tenon_limits_f32 m) {
  const float product = tenon_round_through(x, a->through) * scale;
  const float sum = product + shift;
  const float y = tenon_limit_f32(tenon_round_through(sum, a->through), m);
  return a->silu ? tenon_round_through(tenon_siluf(y), a->through) : y;
}

#endif  // TENON_KERN_ROUND_AFFINE_H
