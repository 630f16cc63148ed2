// kern/product/connected.h - core::fully_connected of 16-bit numbers: sums in
// 64 bits, as LiteRT's reference FULLY_CONNECTED.
#ifndef TENON_KERN_CONNECTED_H
#define TENON_KERN_CONNECTED_H

#include "kern/product/conv.h"
#include "kern/product/requant.h"

// Defines a kernel with weights of type W; `finish` makes a result of `acc`,
// the sum of channel `oc`, by what is packed at `r`. Items are results.
#define TENON_FULLY_CONNECTED_STORED(name, W, finish)                    \
  TENON_KERNEL_RANGE(name) {                                             \
    const tenon_requant *r = (const tenon_requant *)c->packed;           \
    const tenon_tensor *w = &c->in[1];                                   \
    const int64_t *bias = (const int64_t *)c->in[2].data;                \
    const ptrdiff_t n = w->dims[0], depth = w->dims[1];                  \
    int16_t *y = (int16_t *)c->out[0].data;                              \
    for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {      \
      const ptrdiff_t oc = i % n;                                        \
      const int16_t *p = (const int16_t *)c->in[0].data + i / n * depth; \
      const W *q = (const W *)w->data + oc * depth;                      \
      int64_t acc = bias ? tenon_limit_wide(bias[oc]) : 0;               \
      for (ptrdiff_t k = 0; k < depth; ++k)                              \
        acc += (int32_t)p[k] * q[k];                                     \
      y[i] = finish;                                                     \
    }                                                                    \
    return TENON_OK;                                                     \
  }

#endif  // TENON_KERN_CONNECTED_H
