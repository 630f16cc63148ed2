// kern/opt/rows/layer_norm_half_opt.h - core::layer_norm on 16-bit floats: some
// rows become floats in scratch, in the first cache, and are rounded from
// there.
#ifndef TENON_KERN_OPT_LAYER_NORM_HALF_OPT_H
#define TENON_KERN_OPT_LAYER_NORM_HALF_OPT_H

#include "kern/opt/rows/layer_norm_f32_opt.h"
#include "kern/opt/tiles/half_rows.h"

#define TENON_LAYER_NORM_HALF_RUN(type)                                     \
  TENON_INLINE tenon_status tenon_layer_norm_##type##_run(                  \
      const tenon_call *c, int64_t begin, int64_t end) {                    \
    const ptrdiff_t n = c->in[0].dims[c->in[0].rank - 1];                   \
    const ptrdiff_t most = tenon_layer_norm_some(n);                        \
    float *rows = (float *)c->scratch;                                      \
    if (n == 0) return TENON_OK;                                            \
    for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; i += most) {   \
      const ptrdiff_t left = (ptrdiff_t)end - i;                            \
      const ptrdiff_t some = left < most ? left : most;                     \
      tenon_floats_of_##type((const uint16_t *)c->in[0].data + i * n, rows, \
                             some * n);                                     \
      tenon_layer_norm_f32_rows(c, rows, rows, some);                       \
      tenon_floats_as_##type(rows, (uint16_t *)c->out[0].data + i * n,      \
                             some * n);                                     \
    }                                                                       \
    return TENON_OK;                                                        \
  }
TENON_LAYER_NORM_HALF_RUN(f16)
TENON_LAYER_NORM_HALF_RUN(bf16)

#endif  // TENON_KERN_OPT_LAYER_NORM_HALF_OPT_H
