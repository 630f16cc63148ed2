// kern/opt/rows/mean_half_opt.h - means of 16-bit floats beside each other (the
// mean of an image with channels last), summed up in floats by the loops of
// kern/opt/rows/sum_f32_opt.h and rounded once. Other layouts are left to
// kern/loop/sum.h.
#ifndef TENON_KERN_OPT_MEAN_HALF_OPT_H
#define TENON_KERN_OPT_MEAN_HALF_OPT_H

#include "kern/num/half.h"
#include "kern/opt/rows/sum_f32_opt.h"

#define TENON_MEAN_HALF(type)                                                \
  TENON_SUM_ACROSS(type)                                                     \
  TENON_SUM_FUNCTIONS(tenon_sum_##type##_any, uint16_t, float,               \
                      tenon_f32_of_##type)                                   \
  TENON_FLAT tenon_status tenon_mean_##type##_run(                           \
      const tenon_call *c, int64_t begin, int64_t end) {                     \
    const tenon_reduce_attrs *a = (const tenon_reduce_attrs *)c->attrs;      \
    tenon_reduce r = tenon_reduce_of(&c->in[0], a);                          \
    const uint16_t *x = (const uint16_t *)c->in[0].data;                     \
    uint16_t *y = (uint16_t *)c->out[0].data;                                \
    tenon_sum_join(&r);                                                      \
    const tenon_vf by = tenon_vf_splat((float)r.count);                      \
    for (ptrdiff_t i = (ptrdiff_t)begin, n; i < (ptrdiff_t)end; i += n) {    \
      ptrdiff_t side = tenon_sum_f32_side(&r, i);                            \
      if (side > (ptrdiff_t)end - i) side = (ptrdiff_t)end - i;              \
      n = 1;                                                                 \
      if (side > 0) {                                                        \
        tenon_vf sums[2];                                                    \
        uint16_t lanes[2 * TENON_VL];                                        \
        n = tenon_sum_##type##_across(                                       \
            &r, x + tenon_reduce_at(r.kept, r.kept_step, r.n_kept, i), sums, \
            side);                                                           \
        for (ptrdiff_t v = 0; v * TENON_VL < n; ++v)                         \
          tenon_vf_store_##type(lanes + v * TENON_VL, sums[v] / by);         \
        memcpy(y + i, lanes, (size_t)n * sizeof *y);                         \
      } else                                                                 \
        y[i] = tenon_##type##_of_f32(tenon_sum_##type##_any_of(&r, x, i) /   \
                                     (float)r.count);                        \
    }                                                                        \
    return TENON_OK;                                                         \
  }
TENON_MEAN_HALF(f16)
TENON_MEAN_HALF(bf16)

#endif  // TENON_KERN_OPT_MEAN_HALF_OPT_H
