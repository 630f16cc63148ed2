// kern/op/round_affine.h - attributes of core::round_affine, and an element of
// it: x becomes a 16-bit float, times a scale and plus a shift in floats, each
// rounded, a 16-bit float again, and is limited; with
// `silu` that function of it is rounded once more. What a convolution of 16-bit
// floats and a normalisation behind it leave of its sums.
#ifndef TENON_KERN_ROUND_AFFINE_H
#define TENON_KERN_ROUND_AFFINE_H

#include "kern/loop/broadcast.h"
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

// Scale and shift are of one shape, broadcast. `is_wide`, a constant where it
// is called: results are floats that the 16-bit type holds.
TENON_INLINE tenon_status tenon_round_affine_run(const tenon_call *c,
                                                 int64_t begin, int64_t end,
                                                 bool is_wide) {
  const tenon_round_affine_attrs *a =
      (const tenon_round_affine_attrs *)c->attrs;
  const tenon_limits_f32 m = tenon_round_affine_limits(a);
  const tenon_broadcast g =
      tenon_broadcast_of(&c->in[0], &c->in[1], &c->out[0]);
  const ptrdiff_t step_a = g.a[g.rank - 1], step_b = g.b[g.rank - 1];
  tenon_broadcast_run run = tenon_broadcast_start(&g, (ptrdiff_t)begin);
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end;) {
    const float *x = (const float *)c->in[0].data + run.a;
    const float *scale = (const float *)c->in[1].data + run.b;
    const float *shift = (const float *)c->in[2].data + run.b;
    ptrdiff_t n = run.count;
    if (n > (ptrdiff_t)end - i) n = (ptrdiff_t)end - i;
    for (ptrdiff_t k = 0; k < n; ++k) {
      const float y = tenon_round_affine(x[k * step_a], scale[k * step_b],
                                         shift[k * step_b], a, m);
      if (is_wide)
        ((float *)c->out[0].data)[i + k] = y;
      else
        ((uint16_t *)c->out[0].data)[i + k] = a->through == TENON_F16
                                                  ? tenon_f16_of_f32(y)
                                                  : tenon_bf16_of_f32(y);
    }
    i += n;
    tenon_broadcast_next(&g, &run);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_ROUND_AFFINE_H
