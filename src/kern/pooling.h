// kern/pooling.h - attributes of core::avg_pool and core::max_pool.
#ifndef TENON_KERN_POOLING_H
#define TENON_KERN_POOLING_H

#include "kern/window.h"

typedef struct tenon_pool_attrs {
  tenon_ints window;  // 2: height, width
  tenon_ints stride;  // 2
  tenon_ints pad;     // 4: top, left, bottom, right
  tenon_opt_float lo, hi;
} tenon_pool_attrs;

// Packed for quantised pools: limits of the stored result.
typedef struct tenon_pool_s8 {
  int32_t lo, hi;
} tenon_pool_s8;

TENON_INLINE tenon_window tenon_pool_window(const tenon_call *c) {
  const tenon_pool_attrs *a = (const tenon_pool_attrs *)c->attrs;
  return tenon_window_of(&c->in[0], &c->out[0], a->window.data[0],
                         a->window.data[1], a->stride.data, a->pad.data, NULL);
}

#endif  // TENON_KERN_POOLING_H
