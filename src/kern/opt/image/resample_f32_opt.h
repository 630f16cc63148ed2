// kern/opt/image/resample_f32_opt.h - weighted sums along an axis, a register
// of what lies inside at a time.
#ifndef TENON_KERN_OPT_RESAMPLE_F32_OPT_H
#define TENON_KERN_OPT_RESAMPLE_F32_OPT_H

#include <math.h>

#include "kern/op/resample.h"
#include "kern/opt/vectors.h"

// `n` elements of a run, from where x and y point.
TENON_FLAT void tenon_resample_f32_lanes(const tenon_resample *r,
                                         const int32_t *index, const float *w,
                                         const float *x, float *y,
                                         ptrdiff_t n) {
  tenon_vf sum =
      tenon_vf_load_part(x + index[0] * r->inside, n) * tenon_vf_splat(w[0]);
  for (ptrdiff_t k = 1; k < r->taps; ++k) {
    if (index[k] == -1) continue;
    sum = tenon_vf_fma(tenon_vf_splat(w[k]),
                       tenon_vf_load_part(x + index[k] * r->inside, n), sum);
  }
  tenon_vf_store_part(y, sum, n);
}

TENON_INLINE tenon_status tenon_resample_f32_run(const tenon_call *c,
                                                 int64_t begin, int64_t end) {
  const tenon_resample r = tenon_resample_of(c);
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    const int32_t *at = (const int32_t *)c->in[1].data + i % r.to * r.taps;
    const float *w = (const float *)c->in[2].data + i % r.to * r.taps;
    const float *x =
        (const float *)c->in[0].data + i / r.to * r.from * r.inside;
    float *y = (float *)c->out[0].data + i * r.inside;
    ptrdiff_t j = 0;
    for (ptrdiff_t k = 0; k < r.taps; ++k)
      if ((at[k] < 0 || at[k] >= r.from) && (k == 0 || at[k] != -1))
        return tenon_call_fail(c, "element {0} of {1}", at[k], r.from);
    for (; j + TENON_VL <= r.inside; j += TENON_VL)
      tenon_resample_f32_lanes(&r, at, w, x + j, y + j, TENON_VL);
    if (j + 1 == r.inside) {
      float sum = w[0] * x[at[0] * r.inside + j];
      for (ptrdiff_t k = 1; k < r.taps; ++k)
        if (at[k] != -1) sum = fmaf(w[k], x[at[k] * r.inside + j], sum);
      y[j] = sum;
    } else if (j < r.inside) {
      tenon_resample_f32_lanes(&r, at, w, x + j, y + j, r.inside - j);
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_RESAMPLE_F32_OPT_H
