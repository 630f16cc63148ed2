// kern/opt/each/cast_opt.h - floats of one type as another, a register at a
// time.
#ifndef TENON_KERN_OPT_CAST_OPT_H
#define TENON_KERN_OPT_CAST_OPT_H

#include "kern/op/cast.h"
#include "kern/opt/each/half_opt.h"

// A NaN that signals does not as a wider float: the reference goes through
// doubles.
TENON_FLAT tenon_vf tenon_vf_quiet(tenon_vf x) {
  return (tenon_vf)((tenon_vi)x | ((x != x) & 0x00400000));
}

// Not in place.
#define TENON_CAST_VECTOR(name, type, other)                                  \
  TENON_KERNEL_RANGE(name) {                                                  \
    const TENON_ELEMENT_##type *from =                                        \
        (const TENON_ELEMENT_##type *)c->in[0].data;                          \
    TENON_ELEMENT_##other *to = (TENON_ELEMENT_##other *)c->out[0].data;      \
    ptrdiff_t i = (ptrdiff_t)begin;                                           \
    for (; i + TENON_VL <= (ptrdiff_t)end; i += TENON_VL)                     \
      tenon_vf_store_##other(to + i,                                          \
                             tenon_vf_quiet(tenon_vf_load_##type(from + i))); \
    if (i < (ptrdiff_t)end) {                                                 \
      const size_t n = (size_t)((ptrdiff_t)end - i);                          \
      TENON_ELEMENT_##type lanes[TENON_VL] = {0};                             \
      TENON_ELEMENT_##other results[TENON_VL];                                \
      memcpy(lanes, from + i, n * sizeof *from);                              \
      tenon_vf_store_##other(results,                                         \
                             tenon_vf_quiet(tenon_vf_load_##type(lanes)));    \
      memcpy(to + i, results, n * sizeof *to);                                \
    }                                                                         \
    return TENON_OK;                                                          \
  }

#endif  // TENON_KERN_OPT_CAST_OPT_H
