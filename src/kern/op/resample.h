// kern/op/resample.h - core::resample: every element along one axis of the
// result is a weighted sum of a few elements along that axis of x.
//
// `index` and `weight` are [n, taps]. The sum is one chain of fused
// multiply-adds, begun with the first product; behind that, index -1 adds
// nothing, not even where x is infinite. Items are runs: all dimensions
// up to the axis; what lies inside is computed side by side.
#ifndef TENON_KERN_RESAMPLE_H
#define TENON_KERN_RESAMPLE_H

#include "tenon/tensor.h"

typedef struct tenon_resample_attrs {
  int64_t axis;  // negative: from the end
} tenon_resample_attrs;

typedef struct tenon_resample {
  ptrdiff_t from, to, inside, taps;
} tenon_resample;

TENON_INLINE tenon_resample tenon_resample_of(const tenon_call *c) {
  const tenon_resample_attrs *a = (const tenon_resample_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const int32_t axis = (int32_t)(a->axis < 0 ? a->axis + x->rank : a->axis);
  tenon_resample r;
  r.from = x->dims[axis];
  r.to = y->dims[axis];
  r.inside = 1;
  r.taps = c->in[1].dims[1];
  for (int32_t d = axis + 1; d < x->rank; ++d)
    r.inside *= x->dims[d];
  return r;
}

#define TENON_RESAMPLE_KERNEL(name, T, FMA)                                   \
  TENON_KERNEL_RANGE(name) {                                                  \
    const tenon_resample r = tenon_resample_of(c);                            \
    for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {           \
      const int32_t *at = (const int32_t *)c->in[1].data + i % r.to * r.taps; \
      const T *w = (const T *)c->in[2].data + i % r.to * r.taps;              \
      const T *x = (const T *)c->in[0].data + i / r.to * r.from * r.inside;   \
      T *y = (T *)c->out[0].data + i * r.inside;                              \
      for (ptrdiff_t k = 0; k < r.taps; ++k) {                                \
        const T *p = x + at[k] * r.inside;                                    \
        if (k && at[k] == -1) continue;                                       \
        if (at[k] < 0 || at[k] >= r.from)                                     \
          return tenon_call_fail(c, "element {0} of {1}", at[k], r.from);     \
        for (ptrdiff_t j = 0; j < r.inside; ++j)                              \
          y[j] = k ? FMA(w[k], p[j], y[j]) : w[k] * p[j];                     \
      }                                                                       \
    }                                                                         \
    return TENON_OK;                                                          \
  }

#endif  // TENON_KERN_RESAMPLE_H
